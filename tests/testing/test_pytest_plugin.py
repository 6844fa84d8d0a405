"""The plugin under pytest-xdist: what the workers explored is told as one."""

import re

import pytest

from tests.testing.support import python

EXPLORING = """
import pytest
from actors_rs import Sink, Source
from actors_rs.testing.explore import explore

@pytest.mark.parametrize("number", range(4))
@explore(runs=10, yardstick=True)
def test_summing(number, world):
    total = world.start(Source.range(0, number).to(Sink.sum()))
    assert total.result() == sum(range(number))
"""


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_what_was_explored_is_told_whoever_explored_it(tmp_path, workers):
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["actors_rs.testing.pytest_plugin"]')
    (tmp_path / "test_exploring.py").write_text(EXPLORING)
    pytest = "-m", "pytest", "-q", "-p", "xdist", workers
    done = python(*pytest, str(tmp_path), cwd=tmp_path, seconds=100)
    assert "4 passed" in done.stdout, done.stdout
    assert "40 interleavings explored in" in done.stdout
    assert len(re.findall(r"test_summing\[\d\]: 10 interleavings", done.stdout)) == 4
