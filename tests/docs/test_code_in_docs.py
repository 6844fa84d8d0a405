"""Every Python block of the README and of each page runs as a script, in an empty folder.

The blocks of a how-to page share one interpreter, since most of their time is the import. Those
of a page of the cookbook are one program, which tests/examples/test_cookbook.py runs.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
HOW_TO = "docs/how-to/"
COOKBOOK = "docs/cookbook/"
ONE_AFTER_ANOTHER = """
import os, runpy, sys
for folder in sys.argv[1:]:
    os.chdir(folder)
    runpy.run_path("example.py", run_name="__main__")
"""
SPARK = (pytest.mark.spark, pytest.mark.timeout(600))


def blocks():
    for path in PAGES:
        page, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        if page.startswith(COOKBOOK):
            continue
        for found in BLOCK.finditer(text):
            line = text.count("\n", 0, found.start()) + 2
            marks = SPARK if "spark" in found.group(1) else ()
            if page.startswith(HOW_TO) and not marks:
                continue
            yield pytest.param(page, line, found.group(1), id=f"{page}:{line}", marks=marks)


BLOCKS = list(blocks())


def run(folder, *arguments):
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )


@pytest.mark.parametrize(("page", "line", "code"), BLOCKS)
def test_the_code_on_the_page_runs_as_a_script(page, line, code, tmp_path):
    padding = "\n" * (line - 1)  # line numbers of a traceback are those of the page
    (tmp_path / "example.py").write_text(padding + code, encoding="utf-8")
    ended = run(tmp_path, "example.py")
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("path", sorted((ROOT / HOW_TO).glob("*.md")), ids=lambda path: path.name)
def test_each_task_of_a_how_to_page_runs(path, tmp_path):
    text = path.read_text(encoding="utf-8")
    blocks = [found for found in BLOCK.finditer(text) if "spark" not in found.group(1)]
    folders = []
    for found in blocks:
        line = text.count("\n", 0, found.start()) + 1
        folder = tmp_path / str(line)
        folder.mkdir()
        (folder / "example.py").write_text("\n" * line + found.group(1), encoding="utf-8")
        folders.append(str(folder))
    ended = run(tmp_path, "-c", ONE_AFTER_ANOTHER, *folders)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_python_hides_in_a_block_of_another_kind(path):
    for kind, code in FENCED.findall(path.read_text(encoding="utf-8")):
        if kind != "python":
            with pytest.raises(SyntaxError):
                compile(code, path.name, "exec")


def test_the_guide_says_truly_which_modules_export_its_names():
    guide = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`(actors_rs[\w.]*)`", guide.partition("## A stream")[0]))
    used = set(re.findall(r"^from (actors_rs[\w.]*) import", guide, re.MULTILINE))
    assert used <= told


def test_the_first_example_writes_what_the_readme_says(tmp_path):
    import pyarrow.parquet as pq

    (tmp_path / "example.py").write_text(BLOCKS[0].values[2], encoding="utf-8")
    ended = run(tmp_path, "example.py")
    assert ended.returncode == 0, ended.stderr
    assert pq.read_table(tmp_path / "access").to_pylist() == [
        {"host": "a.example", "size": 1043},
        {"host": "b.example", "size": 512},
    ]
    assert (tmp_path / "rejected.jsonl").read_text() == '{"line": "broken"}\n'


def under_pytest():
    return [param.values[2] for param in BLOCKS if "import pytest" in param.values[2]]


@pytest.mark.parametrize("code", under_pytest())
def test_a_block_for_pytest_passes_there_saved_as_a_file_of_its_own(code, tmp_path):
    (tmp_path / "test_block.py").write_text(code, encoding="utf-8")
    ended = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_block.py")
    assert ended.returncode in (0, 5), ended.stdout  # 5: it uses pytest, and holds no test
    assert " passed" in ended.stdout or "no tests ran" in ended.stdout
