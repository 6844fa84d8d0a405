"""Who starts an example with arguments that make no sense is told how it is used."""

import runpy
import sys

import pytest

from .conftest import EXAMPLES


@pytest.mark.parametrize("arguments", [(), ("many",)])
def test_wrong_arguments_are_answered_with_the_usage(monkeypatch, capsys, arguments):
    monkeypatch.setattr(sys, "argv", ["supervised_actors.py", *arguments])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(EXAMPLES / "supervised_actors.py"), run_name="__main__")
    assert ended.value.code == 2
    assert "usage: supervised_actors.py" in capsys.readouterr().err
