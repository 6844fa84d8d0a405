"""Every Python block of the README and of each page runs as a script, in an empty folder.

The blocks of a page share one interpreter, since most of their time is the import; so do all
blocks that use Spark, whose JVM takes longer still. Those of a page of the cookbook are one
program: tests/examples/test_cookbook.py runs those without Spark. The one with Spark runs here,
before the blocks, since its session has to be one of its own.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages.cookbook import OUTPUT, PROGRAMS, pages

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
COOKBOOK = "docs/cookbook/"
ONE_AFTER_ANOTHER = """
import os, runpy, sys
files = sys.argv[1:]
for sys.argv[:] in [[file] for file in files]:
    os.chdir(os.path.dirname(sys.argv[0]))
    print("RUNNING", sys.argv[0], flush=True)
    runpy.run_path(sys.argv[0], run_name="__main__")
    print("FILES", *os.listdir(), flush=True)
"""
SAID = re.compile(r"^RUNNING [^\n]*\n(.*?)^FILES ([^\n]*)\n", re.MULTILINE | re.DOTALL)


def blocks():
    """Each block with its page and its line there."""
    for path in PAGES:
        page, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        if not page.startswith(COOKBOOK):
            for found in BLOCK.finditer(text):
                yield page, text.count("\n", 0, found.start()) + 1, found.group(1)


BLOCKS = list(blocks())
ON_SPARK = [block for block in BLOCKS if "spark" in block[2]]
OTHERS = [block for block in BLOCKS if "spark" not in block[2]]
COOKED_ON_SPARK = [page for page in pages() if "spark" in page.stem]


def run(folder, *arguments):
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )


def run_all(blocks, folder, *programs):
    """Run ``programs``, then ``blocks``; a traceback names page and line.

    Returns for each its output and the names of the files in its folder at its end.
    """
    files = [str(program) for program in programs]
    for page, line, code in blocks:
        file = folder / page / str(line) / Path(page).name
        file.parent.mkdir(parents=True)
        file.write_text("\n" * line + code, encoding="utf-8")
        files.append(str(file))
    ended = run(folder, "-c", ONE_AFTER_ANOTHER, *files)
    assert ended.returncode == 0, ended.stderr
    return SAID.findall(ended.stdout)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", sorted({page for page, _, _ in OTHERS}))
def test_the_code_on_the_page_runs_as_scripts(page, tmp_path):
    run_all([block for block in OTHERS if block[0] == page], tmp_path)


@pytest.fixture(scope="module")
def on_spark(tmp_path_factory):
    """Page -> the output of its program with Spark, and the names of the files in its folder."""
    copies = [
        shutil.copy(PROGRAMS / f"{page.stem}.py", tmp_path_factory.mktemp(page.stem))
        for page in COOKED_ON_SPARK
    ]
    said = run_all(ON_SPARK, tmp_path_factory.mktemp("blocks"), *copies)
    return dict(zip(COOKED_ON_SPARK, said, strict=False))


@pytest.mark.spark
@pytest.mark.timeout(600)
def test_the_code_that_uses_spark_runs_as_scripts(on_spark):
    assert ON_SPARK


@pytest.mark.spark
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", COOKED_ON_SPARK, ids=lambda page: page.stem)
def test_a_program_of_the_cookbook_that_uses_spark_prints_what_its_page_says(on_spark, page):
    (expected,) = OUTPUT.findall(page.read_text(encoding="utf-8"))
    printed, files = on_spark[page]
    assert printed == expected
    assert files == f"{page.stem}.py", "a program leaves no files where it is started"


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

    (tmp_path / "example.py").write_text(BLOCKS[0][2], encoding="utf-8")
    ended = run(tmp_path, "example.py")
    assert ended.returncode == 0, ended.stderr
    assert pq.read_table(tmp_path / "access").to_pylist() == [
        {"host": "a.example", "size": 1043},
        {"host": "b.example", "size": 512},
    ]
    assert (tmp_path / "rejected.jsonl").read_text() == '{"line": "broken"}\n'


def test_the_actor_with_a_timer_cleans_up_also_where_its_on_start_has_failed_before_the_timer():
    [code] = [code for page, _, code in BLOCKS if "supervision" in page and "self.timer" in code]
    names: dict[str, type] = {}
    exec(code.partition("with ActorSystem")[0], names)
    names["Poller"]().on_failure(OSError, OSError(), None)


def under_pytest():
    return [code for _, _, code in BLOCKS if "import pytest" in code]


@pytest.mark.parametrize("code", under_pytest())
def test_a_block_for_pytest_passes_there_saved_as_a_file_of_its_own(code, tmp_path):
    (tmp_path / "test_block.py").write_text(code, encoding="utf-8")
    ended = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_block.py")
    assert ended.returncode in (0, 5), ended.stdout  # 5: it uses pytest, and holds no test
    assert " passed" in ended.stdout or "no tests ran" in ended.stdout
