"""The cookbook: each page quotes its program, and the program prints what its page says."""

import os
import subprocess
import sys
from operator import attrgetter

import pytest

from tests.pages.cookbook import BLOCK, OUTPUT, PAGES, PROGRAMS, pages, program_of, written

BY_NAME = attrgetter("stem")
NOT_IN_THE_COOKBOOK = {"code_census"}  # `make demo`


@pytest.mark.parametrize("page", pages(), ids=BY_NAME)
def test_a_page_quotes_its_program_whole_and_in_order(page):
    text = page.read_text(encoding="utf-8")
    assert text == written(text, program_of(page)), "run: python -m tests.pages.cookbook"


@pytest.mark.parametrize("page", pages(), ids=BY_NAME)
def test_a_program_fits_two_screens(page):
    assert 40 <= program_of(page).count("\n") <= 120


@pytest.mark.parametrize("page", pages(), ids=BY_NAME)
def test_the_index_has_a_row_for_the_page(page):
    title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    assert f"| [{title}]({page.name}) |" in (PAGES / "index.md").read_text(encoding="utf-8")


def test_each_program_has_a_page():
    programs = {path.stem for path in PROGRAMS.iterdir() if path.suffix in (".py", ".ipynb")}
    assert programs - NOT_IN_THE_COOKBOOK == {page.stem for page in pages()}


@pytest.mark.parametrize(
    "page",
    [page for page in pages() if page.stem != "notebook" and "spark" not in page.stem],
    ids=BY_NAME,
)
def test_a_program_prints_what_its_page_says(page, tmp_path):
    """test_notebook.py runs the notebook; tests/docs/test_code_in_docs.py what uses Spark."""
    (expected,) = OUTPUT.findall(page.read_text(encoding="utf-8"))
    done = subprocess.run(
        [sys.executable, PROGRAMS / f"{page.stem}.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, expected), done.stderr
    assert not list(tmp_path.iterdir()), "a program leaves no files where it is started"


def test_a_block_whose_first_line_is_not_in_the_program_is_named():
    text = "```python\na = 1\n```\n\n```python\nc = 3\n```\n"
    assert written(text, "a = 2\n\nc = 3\n").startswith("```python\na = 2\n```")
    with pytest.raises(ValueError, match="c = 3"):
        written(text, "a = 1\n")
    assert len(BLOCK.findall(text)) == 2
