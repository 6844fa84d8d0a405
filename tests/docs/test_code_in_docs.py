"""Every Python block in README, guide and the pages beside it runs as it stands."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)

PAGES_OF_DOCS = ("guide", "supervision", "delivery", "testing", "shutdown")
PAGES = ("README.md", *(f"docs/{page}.md" for page in PAGES_OF_DOCS))
SPARK = (pytest.mark.spark, pytest.mark.timeout(600))


def blocks():
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for found in BLOCK.finditer(text):
            line = text.count("\n", 0, found.start()) + 2
            marks = SPARK if "spark" in found.group(1) else ()
            yield pytest.param(page, line, found.group(1), id=f"{page}:{line}", marks=marks)


@pytest.mark.parametrize(("page", "line", "code"), list(blocks()))
def test_the_code_on_the_page_runs(page, line, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "access.log").write_text("a GET 1\nb GET 22\nbroken\n", encoding="utf-8")
    code = "\n" * (line - 1) + code  # line numbers of a traceback are those of the page
    if "spark" in code or "handle_signals" in code:
        in_a_program_of_its_own(code, page, tmp_path)
    else:
        exec(compile(code, page, "exec"), {"__name__": "__main__"})


def in_a_program_of_its_own(code, page, folder):
    """A JVM that runs already has relative paths of its own, in whatever folder it was begun."""
    program = f"import sys; exec(compile(sys.stdin.read(), {page!r}, 'exec'))"
    ended = subprocess.run(
        [sys.executable, "-c", program],
        input=code,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert ended.returncode == 0, ended.stderr


def test_the_first_example_writes_what_the_readme_says(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    page, line, code = next(blocks()).values
    test_the_code_on_the_page_runs(page, line, code, tmp_path, monkeypatch)
    assert pq.read_table(tmp_path / "access").to_pylist() == [
        {"host": "a", "size": 1},
        {"host": "b", "size": 22},
    ]
    assert (tmp_path / "rejected.jsonl").read_text() == '{"line": "broken"}\n'


def under_pytest():
    text = (ROOT / "docs/testing.md").read_text(encoding="utf-8")
    return [block for block in BLOCK.findall(text) if "import pytest" in block]


@pytest.mark.parametrize("code", under_pytest())
def test_a_block_for_pytest_passes_there_saved_as_a_file_of_its_own(code, tmp_path):
    (tmp_path / "test_block.py").write_text(code, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_block.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    assert " passed" in ended.stdout
