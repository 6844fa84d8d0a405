"""examples/replay_a_bug.py: the bug is found, fails each time, and is gone after the repair."""

import replay_a_bug as example
from actors_rs.testing.explore import Trace, search


def test_the_trace_that_was_found_fails_each_time_and_another_order_passes():
    buggy = example.last_seat_is_sold_once(example.sell_in_two_steps)
    found = search(buggy, example.PLAN)
    assert found.failure is not None
    assert found.runs > 1, "some orders pass"
    assert all(example.fails_again(buggy, found.failure.trace) for _ in range(5))
    usual = Trace.parse(str(found.failure.trace).rpartition(":")[0] + ":")
    assert not example.fails_again(buggy, usual), "the usual order passes"


def test_the_report_shows_both_sales():
    failure = search(
        example.last_seat_is_sold_once(example.sell_in_two_steps), example.PLAN
    ).failure
    assert failure is not None
    assert failure.report().count("Ask('take one')") == 2
