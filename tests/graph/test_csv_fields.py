"""CSV fields of any length."""

import csv

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS


def result(system, flow):
    return system.start(flow.to(Sink.list())).result(SECONDS)


def test_a_csv_field_may_be_longer_than_python_allows_by_default(shared, tmp_path):
    path, before = tmp_path / "long.csv", csv.field_size_limit(131_072)
    path.write_text("name,text\na," + "x" * 200_000 + "\n")
    try:
        assert result(shared, Source.csv(path)) == [{"name": "a", "text": "x" * 200_000}]
        csv.field_size_limit(1000)
        with pytest.raises(StageError, match=r"field larger than field limit \(1000\)"):
            result(shared, Source.csv(path))
    finally:
        csv.field_size_limit(before)
