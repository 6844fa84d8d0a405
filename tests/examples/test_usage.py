"""Who starts an example with arguments that make no sense is told how it is used."""

import runpy
import sys

import pytest

from .conftest import EXAMPLES


def started(monkeypatch, name, *arguments):
    """The exit code of an example, which is not to begin."""
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    return ended.value.code


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("fan_out_fan_in", ()),
        ("fan_out_fan_in", ("orders",)),
        ("group_by", ()),
        ("group_by", ("many", "folder")),
        ("rate_limiting", ("many",)),
        ("rate_limiting", (1, 2)),
        ("retries", ("many",)),
        ("retries", (1, 2)),
        ("supervised_actors", ()),
        ("supervised_actors", ("many",)),
    ],
)
def test_wrong_arguments_are_answered_with_the_usage(monkeypatch, capsys, name, arguments):
    assert started(monkeypatch, name, *arguments) == 2
    assert f"usage: {name}.py" in capsys.readouterr().err


def test_group_by_refuses_a_folder_with_the_files_of_an_earlier_run(monkeypatch, capsys, tmp_path):
    (tmp_path / "shop-1.1.jsonl").touch()
    assert started(monkeypatch, "group_by", 20, tmp_path) == 2
    assert "expected an empty folder or none" in capsys.readouterr().err
