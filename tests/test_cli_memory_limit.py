"""``actors-rs run --memory-limit``: the budget of bytes of the run's system."""

import sys

import pytest

from actors_rs.cli import main

GRAPHS = """
from actors_rs import Sink, Source
from actors_rs.stages.linear import Operator

class Limit(Operator):
    def transform(self, elements):
        for _ in elements:
            yield self.context.memory_share().limit

limit = Source.of(1).then("limit", Limit).to(Sink.first())
"""


@pytest.fixture
def target(tmp_path, monkeypatch):
    (tmp_path / "limited.py").write_text(GRAPHS)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield f"{tmp_path}/limited.py:limit"
    del sys.modules["limited"]


@pytest.mark.parametrize(("size", "limit"), [("1GiB", 2**30), ("1.5 MB", 1_500_000), ("64", 64)])
def test_the_links_of_a_run_have_the_memory_limit_of_the_option(target, size, limit, capsys):
    assert main(["run", target, "--memory-limit", size]) == 0
    assert capsys.readouterr().out == f"{limit}\n"


@pytest.mark.parametrize(
    ("size", "said"),
    [("1 furlong", "write a number and B, KiB, MiB"), ("0", "at least 1 byte"), ("-1", "'-1'")],
)
def test_a_memory_limit_that_is_no_size_is_refused_with_code_2(size, said, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["run", "limited:limit", f"--memory-limit={size}"])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
