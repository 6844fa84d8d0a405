"""The package says that it is typed: pyright finds no type of it that is unknown."""

import json
import os
import subprocess
import sys
from pathlib import Path

BIN = str(Path(sys.executable).parent)


def test_no_type_that_the_package_shows_is_unknown(tmp_path):
    command = [sys.executable, "-m", "pyright", "--ignoreexternal", "--outputjson"]
    done = subprocess.run(
        [*command, "--verifytypes", "actors_rs"],
        cwd=tmp_path,  # in a checkout it would not look for what is installed
        env={**os.environ, "PATH": BIN + os.pathsep + os.environ.get("PATH", "")}
        | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
        capture_output=True,
        text=True,
        check=False,  # it fails for types that are inferred, too
    )
    found = json.loads(done.stdout)["typeCompleteness"]
    assert found["exportedSymbolCounts"]["withKnownType"] > 1000
    unknown = [one for one in found["symbols"] if one["isExported"] and not one["isTypeKnown"]]
    names = {one["name"] for one in unknown if not one["isTypeAmbiguous"]}
    assert names == set()
    assert found["exportedSymbolCounts"]["withUnknownType"] == 0
