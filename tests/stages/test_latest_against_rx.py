"""What the operators' pages say of Rx: ``combine_latest``, ``zip_latest`` and ``switch_map``."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Sink, Source
from actors_rs.stages.junctions.combine_latest import CombineLatest
from actors_rs.stages.junctions.zip_latest import ZipLatest
from tests.graph.helpers import run
from tests.stages.harness import Alone

rx = pytest.importorskip("reactivex")
from reactivex import Subject, operators  # noqa: E402 - behind the check that it is there

arrivals = st.integers(2, 3).flatmap(
    lambda inputs: st.tuples(
        st.just(inputs),
        st.lists(st.tuples(st.integers(0, inputs - 1), st.sampled_from(["next", "next", "end"]))),
    )
)
"""How many inputs, and which of them gives its next number, or ends, one after the other."""


def given_by_rx(inputs, events):
    """What ``combine_latest`` of Rx gives, and after how many events it has completed."""
    subjects = [Subject[int]() for _ in range(inputs)]
    got: list[Any] = []
    ends: list[int] = []
    done = [0]
    rx.combine_latest(*subjects).subscribe(got.append, on_completed=lambda: ends.append(done[0]))
    for number, (at, what) in enumerate(events):
        done[0] = number
        if what == "next":
            subjects[at].on_next(number)
        else:
            subjects[at].on_completed()
    return got, ends


def given_by_us(logic, events):
    alone = Alone(logic, window=1000)
    alone.request(1000)
    ended: set[int] = set()
    for number, (at, what) in enumerate(events):
        if at in ended or alone.ups[at].cancelled:
            continue
        if what == "next":
            alone.push(number, inlet=at)
        else:
            ended.add(at)
            alone.complete(inlet=at)
    return alone.downs[0].elements, alone.downs[0].completed


@given(arrivals)
def test_combine_latest_gives_what_rx_does_behind_the_pairs_that_rx_drops(arrived):
    inputs, events = arrived
    theirs, _ = given_by_rx(inputs, events)
    ours, _ = given_by_us(CombineLatest(inputs), events)
    assert ours[len(ours) - len(theirs) :] == theirs
    if ours:
        firsts = [
            next(n for n, event in enumerate(events) if event == (at, "next"))
            for at in range(inputs)
        ]
        assert ours[0] == tuple(firsts)


@given(arrivals)
def test_zip_latest_gives_what_combine_latest_does_until_an_input_has_ended(arrived):
    inputs, events = arrived
    first_end = next((n for n, (_, what) in enumerate(events) if what == "end"), len(events))
    ours, completed = given_by_us(ZipLatest(inputs), events)
    theirs, _ = given_by_rx(inputs, events[:first_end])
    if theirs:
        assert ours[len(ours) - len(theirs) :] == theirs
        assert completed == (first_end < len(events))


def test_zip_latest_of_rx_is_another_operator_as_its_page_says():
    """The diagram of the page: a gives 1, b x, a 2, b y, a 3, b z."""
    events = [(0, "next"), (1, "next")] * 3
    ours, _ = given_by_us(ZipLatest(2), events)
    assert ours == [(0, 1), (2, 1), (2, 3), (4, 3), (4, 5)]
    subjects = Subject[int](), Subject[int]()
    theirs: list[Any] = []
    rx.zip_latest(*subjects).subscribe(theirs.append)
    for number, (at, _) in enumerate(events):
        subjects[at].on_next(number)
    assert theirs == [(0, 1), (2, 3), (4, 5)]


def test_switch_map_of_what_is_there_already_sees_the_last_stream_only():
    ours = run(Source.of(1, 2, 3).switch_map(lambda n: Source.of(n, n)).to(Sink.list()))
    theirs: list[int] = []
    streams = rx.of(1, 2, 3).pipe(operators.map(lambda n: rx.of(n, n)), operators.switch_latest())
    streams.subscribe(theirs.append)
    assert ours == [3, 3]
    assert theirs[-2:] == ours
