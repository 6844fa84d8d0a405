# mypy: disable-error-code="var-annotated"
"""A rate: the token bucket as a value, and the limit that streams share."""

import threading
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.rate.listeners import Listeners
from actors_rs.runtime.rate.rate_limit import RateLimit
from actors_rs.runtime.rate.token_bucket import TokenBucket

# The value


def test_a_bucket_fills_at_its_rate_up_to_its_capacity():
    bucket = TokenBucket.full(2.0, 10.0, now=5.0).less(10)
    assert bucket.level == 0
    assert bucket.at_time(7.0).level == 4
    assert bucket.at_time(99.0).level == 10
    assert bucket.at_time(4.0) is bucket


def test_a_debt_is_paid_before_anything_is_left():
    bucket = TokenBucket.full(1.0, 1.0, now=0.0).less(4)
    assert bucket.at_time(2.0).level == -1
    assert bucket.at_time(4.0).level == 1


def test_what_is_put_back_does_not_overflow():
    assert TokenBucket.full(1.0, 3.0, now=0.0).less(-5).level == 3


def test_a_smaller_bucket_loses_what_it_cannot_hold():
    bucket = TokenBucket.full(1.0, 9.0, now=0.0).changed(3.0, 4.0)
    assert (bucket.rate, bucket.capacity, bucket.level) == (3.0, 4.0, 4.0)
    assert TokenBucket.full(1.0, 1.0, 0.0).less(3).changed(1.0, 9.0).level == -2


# The limit


@settings(max_examples=100, deadline=None)
@given(
    st.floats(0.1, 50),
    st.floats(0.5, 20),
    st.lists(st.tuples(st.floats(0, 3), st.integers(1, 9)), max_size=30),
)
def test_no_more_passes_in_any_time_than_the_burst_and_the_rate(rate, burst, asked):
    limit, now, passed = RateLimit(rate, burst=burst), 0.0, []
    for pause, most in asked:
        now += pause
        passed.append((now, limit.take(most, now)))
    for i, (began, _) in enumerate(passed):
        for end, _ in passed[i:]:
            inside = sum(n for at, n in passed if began <= at <= end)
            assert inside <= burst + rate * (end - began) + 1e-6


@settings(max_examples=100, deadline=None)
@given(
    st.floats(0.1, 50),
    st.floats(0.5, 20),
    st.lists(st.tuples(st.floats(0, 3), st.lists(st.floats(0, 9), max_size=9)), max_size=30),
)
def test_costs_pass_in_their_order_and_no_more_than_the_burst_and_the_rate(rate, burst, asked):
    limit, now, passed = RateLimit(rate, burst=burst), 0.0, []
    for pause, costs in asked:
        now += pause
        level, count = limit.level(now), limit.take_costs(costs, now)
        assert count == len(costs) or sum(costs[: count + 1]) > level - 1e-6
        passed.append((now, sum(costs[:count])))
    for i, (began, _) in enumerate(passed):
        for end, _ in passed[i:]:
            inside = sum(cost for at, cost in passed if began <= at <= end)
            assert inside <= burst + rate * (end - began) + 1e-6


@settings(max_examples=100, deadline=None)
@given(st.floats(0.1, 50), st.floats(0.5, 5), st.lists(st.floats(0.1, 20), min_size=1, max_size=9))
def test_one_that_costs_more_than_the_burst_passes_when_its_cost_has_come_in(rate, burst, costs):
    limit, now, passed = RateLimit(rate, burst=burst), 0.0, []
    for cost in costs:
        ticket = limit.reserve(cost, now)
        while wait := limit.wait(ticket, now):
            now += wait
        passed.append((now, cost))
    for i, (began, _) in enumerate(passed):
        for n, (end, _) in enumerate(passed[i:], i):
            inside = sum(cost for _, cost in passed[i : n + 1])
            assert inside <= max(burst, *costs, 0) + rate * (end - began) + 1e-6
    if costs[0] > burst:
        assert passed[0][0] == pytest.approx((costs[0] - burst) / rate)


@settings(max_examples=300, deadline=None)
@given(
    st.floats(0.1, 50),
    st.floats(0.5, 5),
    st.lists(st.tuples(st.integers(0, 4), st.floats(0, 3), st.floats(0.1, 9)), max_size=60),
)
def test_however_late_those_in_line_come_no_more_passes_in_any_time(rate, burst, steps):
    """They ask at any time for their turn, leave, or somebody takes what is there."""
    limit, now, passed, line = RateLimit(rate, burst=burst), 0.0, [], []
    for what, pause, cost in steps:
        if what == 0:
            line.append(limit.reserve(cost, now))
        elif what == 1:
            costs = [cost, 0.3]
            passed.append((now, sum(costs[: limit.take_costs(costs, now)])))
        elif what == 2 and line:
            limit.give_back(line.pop(int(cost) % len(line)))
        elif what == 3:
            passed.append((now, limit.take(9, now)))
        for ticket in line[int(pause * 2) :]:
            if not limit.wait(ticket, now):
                line.remove(ticket)
                passed.append((now, ticket.cost))
        now += pause
    dearest = max((cost for what, _, cost in steps if what == 0), default=0)
    for i, (began, _) in enumerate(passed):
        for n, (end, _) in enumerate(passed[i:], i):
            inside = sum(cost for _, cost in passed[i : n + 1])
            assert inside <= max(burst, dearest) + rate * (end - began) + 1e-6
    while line:  # whoever comes in time is served, one by one
        waits = [limit.wait(ticket, now) for ticket in line]
        line = [ticket for ticket, wait in zip(line, waits, strict=True) if wait]
        now += min((wait for wait in waits if wait), default=0.0)
        assert waits[0] <= max(burst, dearest) / rate + 1e-6
    assert limit.level(now + burst / rate + 1) == pytest.approx(burst)


def test_one_that_leaves_late_gives_those_behind_nothing_that_could_not_gather():
    limit = RateLimit(0.5, burst=1)
    late = limit.reserve(1, 0.0)
    dear = limit.reserve(3, 2.0)
    assert limit.wait(dear, 3.0) > 0
    limit.give_back(late)  # 1 was there at 0.0, and no more until 2.0: since then 0.5 came in
    assert limit.wait(dear, 3.0) == pytest.approx(3)
    assert limit.wait(dear, 6.0) == 0.0
    assert limit.level(8.0) == pytest.approx(1)


def test_one_that_comes_late_finds_no_more_than_the_burst():
    limit = RateLimit(1, burst=1)
    tickets = [limit.reserve(1, 0.0) for _ in range(3)]
    assert limit.wait(tickets[0], 5.0) == 0.0
    assert limit.wait(tickets[1], 5.0) == pytest.approx(1)
    assert limit.take(1, 5.0) == 0
    assert limit.wait(tickets[2], 6.0) == pytest.approx(1), "the other comes before"
    assert limit.wait(tickets[1], 6.0) == 0.0


def test_one_that_is_late_yields_to_those_who_are_there():
    limit = RateLimit(1, burst=1)
    limit.take(1, 0.0)
    late, there = limit.reserve(1, 0.0), limit.reserve(1, 0.0)
    assert limit.wait(there, 2.0) == 0.0
    assert limit.wait(late, 2.0) == pytest.approx(1)
    assert limit.wait(late, 3.0) == 0.0


def test_nothing_passes_before_those_that_stand_in_line_not_even_what_is_free():
    limit = RateLimit(1, burst=1)
    limit.reserve(3, 0.0)
    assert limit.level(0.0) == -2
    assert limit.take_costs([0.0], 0.0) == 0
    assert limit.take_costs([0.0, 0.5], 3.0) == 2


def test_those_that_stand_in_line_are_served_in_their_order():
    limit = RateLimit(2, burst=1)
    tickets = [limit.reserve(1, 0.0) for _ in range(4)]
    assert [limit.wait(t, 0.0) for t in tickets] == pytest.approx([0, 0.5, 1, 1.5])
    assert limit.take(5, 1.0) == 0, "those in line come first"
    assert limit.wait(tickets[3], 1.5) == 0.0
    assert limit.waiting == 2, "those who have not asked again"


def test_one_that_leaves_the_line_helps_those_behind_and_not_those_before():
    limit = RateLimit(1, burst=1)
    limit.reserve(1, 0.0)
    first, second, third = (limit.reserve(10, 0.0) for _ in range(3))
    limit.give_back(second)
    assert limit.wait(first, 0.0) == pytest.approx(10)
    assert limit.wait(third, 0.0) == pytest.approx(20)
    assert limit.waiting == 3, "as one has left"


def test_a_change_counts_from_now_on_and_for_those_in_line():
    limit = RateLimit(1, burst=1)
    limit.reserve(1, 0.0)
    ticket = limit.reserve(10, 0.0)
    assert limit.wait(ticket, 5.0) == pytest.approx(5)
    limit.change(10)
    assert limit.wait(ticket, 5.0) == pytest.approx(0.5)
    limit.change(per=20)
    assert limit.wait(ticket, 5.0) == pytest.approx(10)


def test_a_limit_says_what_it_is():
    limit = RateLimit(100, per=2)
    assert repr(limit) == "RateLimit(100, per=2, burst=1.5)"
    limit.change(10, burst=4)
    assert repr(limit) == "RateLimit(10, per=2, burst=4)"


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((0,), {}),
        ((-1,), {}),
        ((float("inf"),), {}),
        ((10**400,), {}),
        ((1,), {"per": 0}),
        ((1,), {"burst": 0}),
    ],
)
def test_a_limit_of_nothing_is_refused_and_so_is_a_change_to_one(arguments, options):
    with pytest.raises(InvalidArgumentError, match="must be above 0"):
        RateLimit(*arguments, **options)
    limit = RateLimit(5)
    with pytest.raises(InvalidArgumentError):
        limit.change(*arguments, **options)
    assert "RateLimit(5, per=1" in repr(limit)


@pytest.mark.parametrize("options", [{"n": "5"}, {"n": True}, {"n": 1, "per": "x"}])
def test_a_limit_is_made_of_numbers(options):
    with pytest.raises(TypeError, match="must be a number"):
        RateLimit(**options)


def test_threads_that_take_together_get_no_more_than_there_is():
    limit, got = RateLimit(1e-9, burst=1000), []

    def take():
        got.extend(limit.take(3, 0.0) for _ in range(500))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(got) == 1000


# Who is told of changes


class Stage:
    def __init__(self):
        self.woken = 0

    def wake(self):
        self.woken += 1


def test_listeners_are_woken_until_they_leave():
    listeners, one, other = Listeners(), Stage(), Stage()
    listeners.add(one)
    listeners.add(other)
    listeners.wake()
    listeners.remove(one)
    listeners.remove(one)
    listeners.wake()
    assert (one.woken, other.woken) == (1, 2)


def test_a_listener_is_not_kept_alive_and_its_place_not_kept_free():
    listeners, others, ids, most = Listeners(), [], set(), 0
    for _ in range(1_000):
        stage = Stage()
        listeners.add(stage)
        ids.add(id(stage))
        most = max(most, len(listeners))
        del stage
        others.append(Stage())  # where it was, so that the next one is elsewhere
    assert most <= 64 < len(ids)


def test_the_cost_of_one_more_listener_does_not_grow_with_their_number(monkeypatch):
    looked = []

    class Noticing(weakref.ref):
        def __call__(self):
            looked.append(self)
            return super().__call__()

    monkeypatch.setattr("actors_rs.runtime.rate.listeners.weakref.ref", Noticing)
    listeners, stages = Listeners(), [Stage() for _ in range(4_000)]
    for stage in stages:
        listeners.add(stage)
    assert len(looked) <= 2 * len(stages)
    listeners.wake()
    assert {stage.woken for stage in stages} == {1}


def test_what_is_collected_while_listeners_are_looked_for_may_wake_them():
    listeners, stage = Listeners(), Stage()

    class Table(dict):
        again = False

        def values(self):  # is called under the lock, where the collector may run
            if not self.again:
                self.again = True
                listeners.wake()
            return super().values()

    listeners._all = Table()
    listeners.add(stage)
    listeners.wake()
    assert stage.woken == 2


@pytest.mark.parametrize(("n", "per"), [(1e308, 1e-308), (5e-324, 1e308)])
def test_a_rate_that_is_no_number_is_refused_though_both_parts_of_it_are(n, per):
    with pytest.raises(InvalidArgumentError, match="n / per must be above 0 and finite"):
        RateLimit(n, per)
    limit = RateLimit(2.0)
    with pytest.raises(InvalidArgumentError, match="n / per"):
        limit.change(n, per=per)
    assert repr(limit) == "RateLimit(2, per=1, burst=1)"


def test_those_who_leave_the_line_wake_the_others_once_until_somebody_looks():
    limit, stages = RateLimit(1.0, burst=1), [Stage() for _ in range(3)]
    for stage in stages:
        limit.watch(stage)
    tickets = [limit.reserve(1.0, 0.0) for _ in range(6)]
    for ticket in tickets[1:4]:
        limit.give_back(ticket)
    assert [stage.woken for stage in stages] == [1, 1, 1]
    assert limit.wait(tickets[5], 0.0) == 2.0
    limit.give_back(tickets[4])
    assert [stage.woken for stage in stages] == [2, 2, 2]
    assert limit.wait(tickets[5], 0.0) == 1.0
