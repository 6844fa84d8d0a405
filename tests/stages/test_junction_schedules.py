# mypy: disable-error-code="var-annotated"
"""Junctions under random schedules: against lists, beyond no demand, each end where it belongs."""

import heapq
from collections import Counter
from itertools import chain, pairwise, zip_longest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors_rs.stages.junctions.also_to import AlsoTo
from actors_rs.stages.junctions.balance import Balance
from actors_rs.stages.junctions.broadcast import Broadcast
from actors_rs.stages.junctions.combine_latest import CombineLatest
from actors_rs.stages.junctions.divert_to import DivertTo
from actors_rs.stages.junctions.interleave import Interleave
from actors_rs.stages.junctions.merge import Merge
from actors_rs.stages.junctions.merge_preferred import MergePreferred
from actors_rs.stages.junctions.merge_sorted import MergeSorted
from actors_rs.stages.junctions.partition import Partition
from actors_rs.stages.junctions.unzip import Unzip
from actors_rs.stages.junctions.wire_tap import WireTap
from actors_rs.stages.junctions.zip import Zip
from actors_rs.stages.junctions.zip_latest import ZipLatest
from tests.stages.harness import Alone
from tests.stages.schedules import Input, Schedule, SideError, lists, steps, windows

quick = settings(max_examples=80, deadline=None)
several = st.lists(lists, min_size=1, max_size=4)
FAN_IN = {
    "merge": lambda count: Merge(count),
    "merge_preferred": lambda count: MergePreferred(count),
    "zip": lambda count: Zip(count),
    "combine_latest": lambda count: CombineLatest(count),
    "zip_latest": lambda count: ZipLatest(count),
    "interleave": lambda _: Interleave(2),
    "merge_sorted": lambda _: MergeSorted(None),
}
FAN_OUT = {
    "broadcast": lambda: Broadcast(2),
    "balance": lambda: Balance(2),
    "partition": lambda: Partition(2, lambda n: n % 2),
    "also_to": AlsoTo,
    "divert_to": lambda: DivertTo(lambda n: n % 2),
    "wire_tap": WireTap,
}


def tagged(columns):
    """Each element with the number of its input and its place there, so that all differ."""
    return [[(place, index) for index, _ in enumerate(xs)] for place, xs in enumerate(columns)]


def play(logic, columns, window, numbers):
    schedule = Schedule(logic, [Input(xs) for xs in columns], window)
    return schedule.play(numbers)


@pytest.mark.parametrize("kind", ["merge", "merge_preferred"])
@quick
@given(columns=several, window=windows, numbers=steps)
def test_a_merge_gives_each_element_once_in_the_order_of_its_input(kind, columns, window, numbers):
    columns = tagged(columns)
    played = play(FAN_IN[kind](len(columns)), columns, window, numbers)
    assert played.ends == ["complete"]
    for place, xs in enumerate(columns):
        assert [one for one in played.elements[0] if one[0] == place] == xs


@quick
@given(columns=several, window=windows, numbers=steps)
def test_zip_gives_what_zip_gives_and_cancels_the_longer_sides(columns, window, numbers):
    schedule = Schedule(Zip(len(columns)), [Input(xs) for xs in columns], window)
    played = schedule.play(numbers)
    assert played.elements == [list(zip(*columns, strict=False))]
    assert played.ends == ["complete"]
    for up, source in zip(schedule.ups, schedule.inputs, strict=True):
        assert up.cancelled or source.ended


@quick
@given(columns=st.lists(lists, min_size=2, max_size=2), n=st.integers(1, 4), numbers=steps)
def test_interleave_takes_n_of_each_in_turn(columns, n, numbers):
    pieces = [[xs[i : i + n] for i in range(0, len(xs), n)] for xs in columns]
    expected = list(chain(*chain(*zip_longest(*pieces, fillvalue=[]))))
    played = play(Interleave(n), columns, 4, numbers)
    assert (played.elements, played.ends) == ([expected], ["complete"])


@quick
@given(columns=st.lists(lists, min_size=2, max_size=2), window=windows, numbers=steps)
def test_merge_sorted_gives_what_the_standard_library_gives(columns, window, numbers):
    columns = [[(n, place) for n in sorted(xs)] for place, xs in enumerate(columns)]
    expected = list(heapq.merge(*columns, key=lambda one: one[0]))
    played = play(MergeSorted(lambda one: one[0]), columns, window, numbers)
    assert (played.elements, played.ends) == ([expected], ["complete"])


@pytest.mark.parametrize("kind", ["combine_latest", "zip_latest"])
@quick
@given(columns=several, window=windows, numbers=steps)
def test_each_tuple_has_one_new_element_and_the_latest_others(kind, columns, window, numbers):
    columns = tagged(columns)
    played = play(FAN_IN[kind](len(columns)), columns, window, numbers)
    rows = played.elements[0]
    assert played.ends == ["complete"]
    if not all(columns):
        assert rows == []
        return
    assert rows[0] == tuple(xs[0] for xs in columns)
    for before, after in pairwise(rows):
        steps_on = [new[1] - old[1] for old, new in zip(before, after, strict=True)]
        assert sorted(steps_on) == [0] * (len(columns) - 1) + [1]
    if kind == "combine_latest":
        assert rows[-1] == tuple(xs[-1] for xs in columns)
    else:
        assert any(one == xs[-1] for one, xs in zip(rows[-1], columns, strict=True))


@quick
@given(xs=lists, count=st.integers(1, 4), window=windows, numbers=steps)
def test_broadcast_and_unzip_give_all_to_all(xs, count, window, numbers):
    assert play(Broadcast(count), [xs], window, numbers).elements == [xs] * count
    parts = [tuple((n, place) for place in range(count)) for n in xs]
    played = play(Unzip(count), [parts], window, numbers)
    assert played.elements == [[(n, place) for n in xs] for place in range(count)]
    assert played.ends == ["complete"] * count


@quick
@given(xs=lists, count=st.integers(1, 4), window=windows, numbers=steps)
def test_partition_gives_each_outlet_its_own(xs, count, window, numbers):
    asked = []
    logic = Partition(count, lambda n: asked.append(n) or n % count)  # type: ignore[func-returns-value]
    played = play(logic, [xs], window, numbers)
    assert played.elements == [[n for n in xs if n % count == own] for own in range(count)]
    assert asked == xs, "f is called once for each element, in order"


@quick
@given(xs=lists, count=st.integers(1, 4), window=windows, numbers=steps)
def test_balance_gives_each_element_to_one_outlet_in_order(xs, count, window, numbers):
    (xs,) = tagged([xs])
    played = play(Balance(count), [xs], window, numbers)
    assert sorted(chain(*played.elements)) == xs
    assert all(part == sorted(part) for part in played.elements)
    assert played.ends == ["complete"] * count


@quick
@given(xs=lists, window=windows, numbers=steps)
def test_what_hangs_on_a_stream_does_not_change_it(xs, window, numbers):
    assert play(AlsoTo(), [xs], window, numbers).elements == [xs, xs]
    diverted = play(DivertTo(lambda n: n % 2), [xs], window, numbers)
    assert diverted.elements == [[n for n in xs if n % 2 == own] for own in (0, 1)]
    (xs,), tap = tagged([xs]), WireTap()
    main, side = play(tap, [xs], window, numbers).elements
    assert main == xs
    assert side == [n for n in xs if n in side]
    assert len(side) + tap.details()["dropped"] == len(xs)


@pytest.mark.parametrize("kind", FAN_IN)
@quick
@given(columns=st.lists(lists, min_size=2, max_size=2), failing=st.integers(0, 1), numbers=steps)
def test_a_failing_input_is_delivered_first_and_then_fails_all(kind, columns, failing, numbers):
    columns = tagged(columns)
    inputs = [Input(xs) for xs in columns]
    inputs[failing].error = error = SideError()
    logic = FAN_IN[kind](2)
    schedule = Schedule(logic, inputs, 4)
    played = schedule.play(numbers)
    (end,) = played.ends
    first_end_counts = kind in ("zip", "zip_latest")
    if end == "complete":
        assert first_end_counts or (kind == "combine_latest" and not columns[1 - failing])
        return
    assert end is error
    assert inputs[1 - failing].ended
    if "merge" in kind or kind == "interleave":
        assert [one for one in played.elements[0] if one[0] == failing] == columns[failing]
        if kind == "merge_sorted" and failing == 0:  # whose elements are the smaller ones
            assert played.elements[0] == columns[0]
    elif kind == "zip":
        assert played.elements[0] == list(zip(*columns, strict=False))
        assert len(columns[failing]) <= len(columns[1 - failing])
    elif all(columns):
        assert played.elements[0][-1][failing] == columns[failing][-1]


@pytest.mark.parametrize("kind", FAN_OUT)
@quick
@given(xs=lists, window=windows, numbers=steps)
def test_a_failing_input_fails_every_outlet_behind_its_elements(kind, xs, window, numbers):
    error = SideError()
    schedule = Schedule(FAN_OUT[kind](), [Input(xs, error)], window)
    played = schedule.play(numbers)
    assert played.ends == [error, error]
    given = Counter(chain(*played.elements))
    dropped = schedule.logic.details().get("dropped", 0)
    times = 2 if kind in ("broadcast", "also_to", "wire_tap") else 1
    assert given.total() + dropped == len(xs) * times
    assert not given - Counter(xs * times)


@pytest.mark.parametrize("kind", FAN_OUT)
@quick
@given(xs=lists, window=windows, numbers=steps, leaving=st.integers(0, 1))
def test_an_outlet_that_has_had_enough_does_not_end_the_other(kind, xs, window, numbers, leaving):
    (xs,) = tagged([xs])
    logic = (
        Partition(2, lambda one: one[1] % 2)
        if kind == "partition"
        else DivertTo(lambda one: one[1] % 2)
        if kind == "divert_to"
        else FAN_OUT[kind]()
    )
    schedule = Schedule(logic, [Input(xs)], window, cancelling={leaving})
    played = schedule.play(numbers)
    other = played.elements[1 - leaving]
    assert played.ends[1 - leaving] == "complete"
    sides = kind in ("also_to", "divert_to", "wire_tap")
    if sides and leaving == 0:
        assert schedule.ups[0].cancelled or schedule.inputs[0].ended
        return
    mine = [one for one in xs if one[1] % 2 == 1 - leaving]
    everything = {"partition": mine, "divert_to": mine}.get(kind, xs)
    if kind == "balance":
        assert sorted(chain(*played.elements)) == xs
    else:
        assert other == everything


@pytest.mark.parametrize("kind", ["also_to", "divert_to", "wire_tap"])
def test_when_the_main_stream_has_had_enough_so_has_the_stage_and_the_sink_completes(kind):
    stage = Alone(FAN_OUT[kind]()).request(5, 0).request(5, 1).push(2, 1).cancel(0)
    assert stage.up.cancelled
    assert stage.downs[1].completed
    assert 1 in stage.downs[1].elements


@pytest.mark.parametrize("kind", [*FAN_IN, *FAN_OUT])
@quick
@given(columns=st.lists(lists, min_size=2, max_size=2), window=windows, numbers=steps)
def test_when_all_outlets_have_been_cancelled_so_are_the_inputs(kind, columns, window, numbers):
    logic = FAN_IN[kind](2) if kind in FAN_IN else FAN_OUT[kind]()
    inputs = [Input(xs) for xs, _ in zip(columns, logic.inlets, strict=False)]
    everyone = range(len(logic.outlets))
    schedule = Schedule(logic, inputs, window, cancelling=everyone)
    schedule.play(numbers)
    for up, source in zip(schedule.ups, inputs, strict=True):
        assert up.cancelled or source.ended
