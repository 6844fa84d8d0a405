"""``python -m tests.pages.marbles``: writes the pictures of all diagrams."""

from tests.pages.marbles.pictures import FOLDER, pictures

FOLDER.mkdir(parents=True, exist_ok=True)
for path in FOLDER.glob("*.svg"):
    path.unlink()
for name, drawn in pictures().items():
    (FOLDER / name).write_text(drawn, encoding="utf-8")
