"""The top level of the repository holds five folders, and single files."""

from hatch_build import tracked_files
from tests.conventions.project import ROOT

FOLDERS = {"actors_rs", "tests", "stress", "examples", "docs"}


def test_the_top_level_holds_the_five_folders_and_single_files():
    found = {name.split("/")[0] for name in tracked_files(ROOT) if "/" in name}
    assert {name for name in found if not name.startswith(".")} == FOLDERS
