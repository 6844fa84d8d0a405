"""Every Python block in README, guide and the pages beside it runs as it stands."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


PAGES = ("README.md", "docs/guide.md", "docs/supervision.md", "docs/delivery.md")
WHOLE = ("docs/testing.md",)  # its blocks build on those before them


def blocks():
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for found in BLOCK.finditer(text):
            line = text.count("\n", 0, found.start()) + 2
            marks = [pytest.mark.spark] if "spark" in found.group(1) else []
            yield pytest.param(page, line, found.group(1), id=f"{page}:{line}", marks=marks)


@pytest.mark.parametrize(("page", "line", "code"), list(blocks()))
def test_the_code_on_the_page_runs(page, line, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "access.log").write_text("a GET 1\nb GET 22\nbroken\n", encoding="utf-8")
    # Line numbers of a traceback are those of the page.
    exec(compile("\n" * (line - 1) + code, page, "exec"), {"__name__": "__main__"})


def test_the_first_example_writes_what_the_readme_says(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    page, line, code = next(blocks()).values
    test_the_code_on_the_page_runs(page, line, code, tmp_path, monkeypatch)
    assert pq.read_table(tmp_path / "access").to_pylist() == [
        {"host": "a", "size": 1},
        {"host": "b", "size": 22},
    ]
    assert (tmp_path / "rejected.jsonl").read_text() == '{"line": "broken"}\n'


@pytest.mark.parametrize("page", WHOLE)
def test_the_blocks_of_the_page_run_one_after_the_other(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    names = {"__name__": "__main__"}
    for found in BLOCK.finditer(text):
        line = text.count("\n", 0, found.start()) + 2
        exec(compile("\n" * (line - 1) + found.group(1), page, "exec"), names)
