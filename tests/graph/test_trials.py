# mypy: disable-error-code="arg-type, attr-defined, operator, var-annotated"
"""Operators and junctions that deal with calls, failures and other streams, under all of a trial.

Those that are linear are in ``test_operators``, those with time in ``test_timing``.
"""

from collections import Counter
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Sink, Source, amb, concat, merge
from actors_rs.errors import StageError
from actors_rs.runtime.supervision.backoff import Backoff
from tests.graph.helpers import SECONDS
from tests.graph.hubs import subscribe
from tests.graph.models import (
    Asker,
    Upstream,
    check_cancel,
    check_demand,
    check_list,
    check_operator,
    demands,
    numbers,
    quick,
    trials,
    windows,
)

SOON = Backoff(initial=0, maximum=0)
LONG = 600.0


def again(error):
    raise error


def threes(xs):
    return [xs[i : i + 3] for i in range(0, len(xs), 3)]


def more(xs):
    return [x + 1 for x in xs]


def one_more(x):
    return x + 1


async def one_more_later(x):
    return x + 1


def now_and_then(source):
    """Every third call fails, whichever element it is for."""
    calls = count()

    def f(x):
        if next(calls) % 3 == 0:
            raise OSError("busy")
        return x + 1

    return source.map_async(f, 2).retry(SOON, max_attempts=10**6)


# Each entry: the operator, the same on a list, how to compare.
OPERATORS = {
    "batch": (lambda s: s.batch(3), threes, list),
    "batch within": (lambda s: s.batch(3, within=LONG), threes, list),
    "map_async": (lambda s: s.map_async(one_more, 3), more, list),
    "map_async of coroutines": (lambda s: s.map_async(one_more_later, 3), more, list),
    "map_async unordered": (lambda s: s.map_async(one_more, 3, ordered=False), more, sorted),
    "retry": (now_and_then, more, list),
    "amb": (lambda s: s.amb(Source.never()), list, list),
    "catch": (lambda s: s.catch(again), list, list),
    "combine": (lambda s: Source.combine(s, Source.empty()), list, list),
}


@pytest.mark.parametrize("name", OPERATORS)
@quick
@given(trial=trials())
def test_an_operator_gives_what_its_model_gives(shared, name, trial):
    operator, model, view = OPERATORS[name]
    check_operator(shared, operator, model, trial, view=view)


# Each entry: functions of closed sources, one of which is given, and what else they give.
PUT_TOGETHER = {
    "concat": (lambda s: concat(Source.of(98), s, Source.of(99).map(int)), [98], [99]),
    "combine": (
        lambda s: Source.combine(Source.of(98).map(int), s, Source.of(99), how=concat),
        [98],
        [99],
    ),
    "amb": (lambda s: amb(Source.never().map(int), s, Source.never()), [], []),
    "combine by amb": (lambda s: Source.combine(Source.never(), s, how=amb), [], []),
}


@pytest.mark.parametrize("name", PUT_TOGETHER)
@quick
@given(trial=trials())
def test_a_stream_among_others_gives_what_lists_do_up_to_its_failure(shared, name, trial):
    operator, before, behind = PUT_TOGETHER[name]
    check_operator(
        shared,
        operator,
        lambda xs: [*before, *xs, *behind],
        trial,
        failed=lambda xs: [*before, *xs],
        within=True,
    )


GOES_ON = {
    "recover": lambda s: s.recover(lambda _: 98),
    "recover_with": lambda s: s.recover_with(lambda _: Source.of(98, 99)),
    "recover_with what fails": lambda s: s.recover_with(
        lambda _: Source.of(98).append(Source.failed(OSError())), 1
    ).recover(lambda _: 99),
    "catch": lambda s: s.catch(lambda _: Source.of(98, 99)),
    "catch with actors": lambda s: s.catch(lambda _: Source.of(98, 99).map(int)),
    "map_error": lambda s: s.map_error(lambda _: OSError()).recover(lambda _: 98),
    "restart": lambda s: s.restart(SOON, max_restarts=1).recover(lambda _: 98),
}


@pytest.mark.parametrize("name", GOES_ON)
@quick
@given(trial=trials())
def test_whatever_comes_instead_of_a_failure_keeps_to_demand_and_can_be_cancelled(
    shared, name, trial
):
    def operator(source):
        return GOES_ON[name](source.append(Source.failed(KeyError("gone"))))

    def model(xs):
        behind = [98, 99] if "with" in name or name == "catch" else [98]
        return xs * (2 if name == "restart" else 1) + behind

    check_list(shared, operator, model, trial)
    check_demand(shared, operator, model, trial)
    check_cancel(shared, operator, trial)


@quick
@given(trial=trials())
def test_switch_map_gives_the_newest_stream_to_every_demand_until_it_is_cancelled(shared, trial):
    def operator(source):
        return source.switch_map(lambda x: Source.of(x, -x).map(int))

    def model(xs):
        return [xs[-1], -xs[-1]] if xs else []

    check_demand(shared, operator, model, trial, view=lambda xs: xs[-2:])
    check_cancel(shared, operator, trial)


DIVIDED = {
    "balance": lambda s: merge(*s.balance(3)),
    "group_by": lambda s: s.group_by(lambda x: x % 3, 3).flat_map(lambda g: g, breadth=3),
    "switch_map": lambda s: s.switch_map(lambda x: [x]),
}


@pytest.mark.parametrize("name", DIVIDED)
@quick
@given(trial=trials())
def test_what_comes_out_before_a_failure_went_in_and_the_failure_is_named(shared, name, trial):
    before = trial.xs[: trial.fails_behind]
    upstream = Upstream(before, KeyError("the source fails"))
    seen = []
    flow = DIVIDED[name](upstream.source().named("broken")).with_attributes(window=trial.window)
    run = shared.start(flow.to(Sink.for_each(seen.append).with_attributes(window=trial.last)))
    with pytest.raises(StageError) as caught:
        run.result(SECONDS)
    assert (caught.value.stage, caught.value.__cause__) == ("broken", upstream.error)
    assert Counter(seen) <= Counter(before)
    upstream.wait_until_released()


@quick
@given(
    parts=st.lists(numbers, min_size=1, max_size=4),
    window=windows,
    demand=demands,
    inside=st.booleans(),
)
def test_a_merge_hub_gives_each_stream_in_its_order_to_every_demand(
    shared, parts, window, demand, inside
):
    hub = Source.merge_hub()
    asker = Asker(demand, inside)
    for which, xs in enumerate(parts):
        pairs = [(which, x) for x in xs]
        hub.attach(Source.from_iterable(pairs).with_attributes(window=window))
    shared.publisher(hub.source).subscribe(asker)
    hub.close()
    assert asker.drive() == "complete"
    got = [[x for part, x in asker.elements if part == which] for which in range(len(parts))]
    assert got == parts


@quick
@given(xs=numbers, asks=st.lists(demands, min_size=1, max_size=3), window=windows)
def test_a_partition_hub_gives_each_element_to_the_one_chosen_whatever_it_asks(
    shared, xs, asks, window
):
    source = Source.from_iterable(xs).with_attributes(window=window)
    hub = source.partition_hub(shared, lambda x, subscribers: x % subscribers)
    askers = subscribe(hub, *(Asker(demand, inside=False) for demand in asks))
    for asker in askers:
        asker.inside = True  # from here on it goes on by itself
        asker.request(next(asker.amounts))
    for own, asker in enumerate(askers):
        assert asker.wait() == "complete"
        assert asker.elements == [x for x in xs if x % len(asks) == own]
