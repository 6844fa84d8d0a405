"""How the documentation site is built: `make docs`, with the hooks of `docs/site_hooks.py`."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import actors_rs
from tests.browser import browser

__all__ = ["browser"]

markdown = pytest.importorskip("markdown")
ROOT = Path(__file__).parents[2]
CONFIG = """\
site_name: one page
strict: true
plugins: []
validation: { links: { not_found: warn, anchors: warn } }
"""


@pytest.fixture(scope="module")
def hooks():
    spec = importlib.util.spec_from_file_location("site_hooks", ROOT / "docs/site_hooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(folder, text):
    """Runs the command of `make docs` for a site with one page."""
    alone = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    said = subprocess.run(
        ["make", "--no-print-directory", "--just-print", "docs"],
        cwd=ROOT,
        env=alone,  # the tests may run in a make of their own
        capture_output=True,
        text=True,
        check=True,
    )
    (folder / "docs").mkdir()
    (folder / "docs/index.md").write_text(text)
    (folder / "mkdocs.yml").write_text(CONFIG)
    command = f"{said.stdout.splitlines()[-1]} -f {folder}/mkdocs.yml -d {folder}/site"
    return subprocess.run(
        command, check=False, shell=True, cwd=ROOT, capture_output=True, text=True
    )


@pytest.mark.parametrize("link", ["gone.md", "#gone"])
def test_a_link_to_nothing_fails_the_build(tmp_path, link):
    done = build(tmp_path, f"# A page\n\nSee [there]({link}).\n")
    assert done.returncode, done.stdout
    assert "gone" in done.stderr


def test_a_page_without_a_warning_is_built(tmp_path):
    done = build(tmp_path, "# A page\n\nSee [above](#a-page).\n")
    assert not done.returncode, done.stderr
    assert (tmp_path / "site/index.html").exists()


def html(hooks, text):
    return markdown.markdown(text, extensions=["pymdownx.superfences", hooks.Examples()])


def test_the_example_of_a_docstring_is_shown_as_code(hooks):
    shown = html(hooks, "Adds.\n\n>>> 1 + 1\n2\n>>> ['a']\n['a']\n\nAnd no more.")
    assert "blockquote" not in shown
    assert shown.count("<pre>") == 1
    assert "<p>And no more.</p>" in shown


def test_what_a_fence_holds_is_left_as_it_is(hooks):
    fenced = "```pycon\n>>> 1 + 1\n2\n```\n\nAnd no more."
    assert html(hooks, fenced) == markdown.markdown(fenced, extensions=["pymdownx.superfences"])


def test_the_site_names_the_version_of_the_package(hooks):
    config = {"site_name": "actors_rs", "nav": [], "markdown_extensions": []}
    assert hooks.on_config(config)["site_name"] == f"actors_rs {actors_rs.__version__}"


@pytest.fixture
def start_page(tmp_path):
    """The start page of a site with the look of ours and one other page, built into a folder."""
    pages = tmp_path / "docs"
    for folder in ("javascripts", "stylesheets"):
        shutil.copytree(ROOT / "docs" / folder, pages / folder)
    (pages / "index.md").write_text("# Start\n\nNothing here.\n")
    (pages / "other.md").write_text("# Other\n\nOf the windmill.\n")
    own = "nav: [index.md, other.md]\nplugins: [search, offline]\nhooks: []\n"
    places = f"docs_dir: {pages}\nsite_dir: {tmp_path}/site\n"
    config = tmp_path / "mkdocs.yml"
    config.write_text(f"INHERIT: {ROOT}/mkdocs.yml\n{own}{places}")
    command = [sys.executable, "-m", "mkdocs", "build", "-f", str(config)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return (tmp_path / "site/index.html").as_uri()


def test_the_search_works_in_the_built_folder_without_a_network(browser, start_page):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    tab = context.new_page()
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(start_page)
    tab.click(".md-search__input")
    tab.locator(".md-search__input").press_sequentially("windmill")
    tab.wait_for_selector(".md-search-result__item a[href*='other.html']", state="attached")
    context.close()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
