"""examples/notebook.ipynb, executed by a real kernel: it prints and draws what its page says."""

import nbformat
import pytest
from nbclient import NotebookClient

from tests.pages.cookbook import OUTPUT, PAGES, PROGRAMS


@pytest.fixture(scope="module")
def outputs():
    """The outputs of all code cells, in order."""
    notebook = nbformat.read(PROGRAMS / "notebook.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells), "keep it without outputs"
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return [output for cell in notebook.cells for output in cell.get("outputs", ())]


def test_it_prints_what_its_page_says(outputs):
    printed = "".join(
        output.text for output in outputs if output.get("name") == "stdout" and "text" in output
    )
    (expected,) = OUTPUT.findall((PAGES / "notebook.md").read_text(encoding="utf-8"))
    assert printed == expected


def test_a_graph_and_a_run_are_drawings_and_tables_are_tables(outputs):
    kinds = [set(output.data) for output in outputs if "data" in output]
    assert sum("image/svg+xml" in kind for kind in kinds) >= 2
    assert sum("text/html" in kind for kind in kinds) >= 2
