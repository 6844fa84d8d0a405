"""The documentation site: every page is reached from it, every public name is in the reference."""

import importlib
import re
from inspect import getattr_static
from pathlib import Path

import pytest

from actors_rs import Flow
from tests.conventions.test_examples import EXCEPTIONS, OF_STAGES, OF_THE_PACKAGE

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NAV = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
REFERENCE = {
    name
    for page in (DOCS / "reference").glob("*.md")
    for name in re.findall(r"^::: ([\w.]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
}
OF_TYPES = {"Processor", "Publisher", "Subscriber", "Subscription"}
"""The interfaces of the standard and what tells them: the page of the rules has them."""


@pytest.mark.parametrize("package", ["actors_rs", "actors_rs.delivery", "actors_rs.spark"])
def test_every_public_name_is_in_the_reference(package):
    if package == "actors_rs.spark":
        pytest.importorskip("pyspark")
    names = {*importlib.import_module(package).__all__} - OF_TYPES
    names = {name for name in names if not name.startswith("is_")}
    same = {"Source": "Flow"}  # a flow whose input is closed
    missing = {name for name in names if f"{package}.{same.get(name, name)}" not in REFERENCE}
    assert not missing, f"add ::: {package}.{min(missing)} to a page in docs/reference"


def test_the_reference_links_each_source_by_the_name_that_users_write():
    page = (DOCS / "reference/streams.md").read_text(encoding="utf-8")
    static = {name for name in dir(Flow) if isinstance(getattr_static(Flow, name), staticmethod)}
    names = {one for one in static if one[0] != "_"} - {"from_sink_and_source"}  # a flow
    missing = {one for one in names if f"[`Source.{one}`][actors_rs.Flow.{one}]" not in page}
    assert not missing, f"add Source.{min(missing)} to docs/reference/streams.md"


def test_methods_for_other_modules_of_the_package_are_not_in_the_reference():
    of_the_package = {
        name for name, why in EXCEPTIONS.items() if why in (OF_THE_PACKAGE, OF_STAGES)
    }
    blocks = dict[str, str]()
    for page in (DOCS / "reference").glob("*.md"):
        _, *parts = re.split(r"^::: ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        blocks |= {part.split("\n", 1)[0]: part for part in parts}
    shown = set()
    for owner, _, member in (name.rpartition(".") for name in of_the_package):
        excluded = re.search(r'"!(\^\([\w|]+\)\$)"', blocks.get(owner, ""))
        if owner in blocks and not (excluded and re.match(excluded[1], member)):
            shown.add(f"{owner}.{member}")
    assert not shown, f"exclude {min(shown)} by the filters of its class in docs/reference"


def test_every_page_is_reached_from_the_navigation():
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    pages = {page for page in pages if not page.startswith("decisions/")}  # see site_hooks
    missing = {page for page in pages if page not in NAV}
    assert not missing, f"add {min(missing)} to nav in mkdocs.yml"


NAMED = re.compile(r"`([\w./-]+/[\w.-]+\.py)`")
FOLDERS = ("", "actors_rs", "actors_rs/stages", "actors_rs/engine")


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_every_file_of_the_project_that_a_page_names_is_there(page):
    named = set(NAMED.findall(page.read_text(encoding="utf-8")))
    missing = {one for one in named if not any((ROOT / at / one).exists() for at in FOLDERS)}
    assert not missing, f"{page.name} names {min(missing)}, which is not there: name its successor"


def tasks():
    """(page, heading) of each task of the how-to pages."""
    for page in sorted((DOCS / "how-to").glob("[!i]*.md")):
        for heading in re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE):
            yield page, heading


def test_the_index_of_the_how_to_pages_has_each_task_by_its_name():
    index = (DOCS / "how-to/index.md").read_text(encoding="utf-8")
    missing = [
        f"[{heading}]({page.name}#..."
        for page, heading in tasks()
        if f"[{heading}]({page.name}#" not in index
    ]
    assert not missing, f"add {missing[0]} to docs/how-to/index.md"


@pytest.mark.parametrize(("page", "heading"), list(tasks()), ids=lambda v: getattr(v, "name", v))
def test_each_task_has_a_program_that_fits_a_screen(page, heading):
    section = page.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    (program,) = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    lines = [line for line in program.splitlines() if line and "import" not in line]
    assert len(lines) <= 25, f"{heading}: shorten the program to about 20 lines"
