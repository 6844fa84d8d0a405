"""examples/own_publisher.py: the Publisher keeps all rules, and its tests see a broken one."""

import pytest

import own_publisher as example
from actors_rs.testing.explore import Plan, check_scenario
from actors_rs.testing.probes import SinkProbe


def test_rows_keeps_the_rules_and_careless_is_found_out():
    assert example.failed_rules(example.RowsSubscription) == []
    assert example.failed_rules(example.Careless) == ["3.3"]


def test_a_publisher_that_loses_a_row_fails_the_test_of_orders(monkeypatch):
    rows = example.Rows
    monkeypatch.setattr(example, "Rows", lambda wanted: rows(wanted[1:]))
    with pytest.raises(AssertionError):
        check_scenario(example.two_publishers, Plan(runs=5))


def test_rows_come_as_they_are_requested_then_the_end():
    sink = SinkProbe[int]()
    example.Rows(range(3)).subscribe(sink)
    sink.request(2)
    sink.expect_next(0, 1)
    sink.expect_nothing()
    sink.request(1)
    sink.expect_next(2)
    sink.expect_complete()
    with pytest.raises(TypeError, match=r"rule 1\.9"):
        example.Rows(range(3)).subscribe(None)  # type: ignore[arg-type]
