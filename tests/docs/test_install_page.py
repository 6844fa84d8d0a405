"""docs/start/install.md names the extras that the package has, and no others."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_table_of_extras_has_each_extra_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    page = (ROOT / "docs/start/install.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `actors-rs[")]
    named = [name for row in rows for name in re.findall(r"\[(\w+)\]", row)]
    assert sorted(named) == sorted(project["optional-dependencies"])
