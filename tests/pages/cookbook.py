"""Puts the programs of ``examples`` into ``docs/cookbook``: ``python -m tests.pages.cookbook``.

The Python blocks of a page are its program, cut into parts. The first line of a block says where
its part begins, so a page can be written anew after a change of its program.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "cookbook"
PROGRAMS = ROOT / "examples"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """All pages but the index."""
    return [page for page in sorted(PAGES.glob("*.md")) if page.stem != "index"]


def program_of(page: Path) -> str:
    """The text of the page's program; for a notebook, the text of its code cells."""
    notebook = PROGRAMS / f"{page.stem}.ipynb"
    if not notebook.exists():
        return (PROGRAMS / f"{page.stem}.py").read_text(encoding="utf-8")
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return "\n\n\n".join(code) + "\n"


def written(text: str, program: str) -> str:
    """The text of a page, each block with its part of the program.

    Raises ``ValueError`` for a block whose first line is not in the program, or not in its order.
    """
    starts = [0]
    for block in BLOCK.findall(text)[1:]:
        line = block.partition("\n")[0]
        at = program.find(f"\n{line}\n", starts[-1])
        if at < 0:
            raise ValueError(f"no such line in the rest of the program: {line!r}")
        starts.append(at + 1)
    ends = [*starts[1:], len(program)]
    parts = [program[a:b].strip("\n") for a, b in zip(starts, ends, strict=True)]
    return BLOCK.sub(lambda _: f"```python\n{parts.pop(0)}\n```", text)


if __name__ == "__main__":
    for page in pages():
        text = page.read_text(encoding="utf-8")
        page.write_text(written(text, program_of(page)), encoding="utf-8")
