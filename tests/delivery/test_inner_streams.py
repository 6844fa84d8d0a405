# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Acknowledged elements that become streams: done when all that comes of the stream is done."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from itertools import count
from typing import Any

import pytest

from actors_rs import Flow, Graph, KillSwitch, Sink, Source
from actors_rs.errors import GraphError, RunCancelled, StageError
from tests.delivery.test_acknowledged import DEAD, DELIVERED, FILTERED, numbers, run
from tests.graph.helpers import SECONDS


def same(x):
    return x


STREAMS: dict[str, Callable[..., Any]] = {
    "actors": lambda rows: Source.from_iterable(rows).map(same).filter(lambda _: True),
    "within": lambda rows: Source.from_iterable(rows),
    "inline": lambda rows: Source.from_iterable(rows).map_not_none(same),
    "fused": lambda rows: Source.from_iterable(rows).via(Flow().map(same).map(same).fuse()),
    "at hand": lambda rows: Source.of(*(rows() if callable(rows) else rows)),
    "nested": lambda rows: Source.of(0).flat_map(lambda _: STREAMS["actors"](rows)).map(same),
}
of_every_kind = pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS.keys())
that_may_be_cut = pytest.mark.parametrize(
    "stream", [pytest.param(one, id=kind) for kind, one in STREAMS.items() if kind != "at hand"]
)
by_both_names = pytest.mark.parametrize("name", ["flat_map", "concat_map"])


def some(n):
    return [n] * (n % 4)


EXPECTED = {n: {DELIVERED: n % 4} if n % 4 else {FILTERED: 1} for n in range(20)}


@by_both_names
@of_every_kind
def test_an_element_that_becomes_a_stream_is_acknowledged_when_all_of_that_is(
    system, acks, stream, name
):
    early = []
    flow = getattr(numbers(acks, 20), name)(lambda n: stream(some(n)))
    sink = Sink.for_each(lambda n: early.extend([n] if n in acks.got else []))
    assert run(system, flow.to(sink)) == sum(n % 4 for n in range(20))
    assert early == []
    assert acks.got == EXPECTED


@of_every_kind
def test_what_comes_of_a_stream_goes_on_as_any_acknowledged_element(system, acks, stream):
    """Through fused operators, batches that become streams again, and both ways of a broadcast."""
    flow = numbers(acks, 20).flat_map(lambda n: stream(some(n)))
    one, other = flow.map(same).filter(lambda _: True).fuse().broadcast(2)
    again = one.batch(2).flat_map(lambda batch: stream(batch))
    assert run(system, Graph(again.to(Sink.count()), other.to(Sink.count()))) == (30, 30)
    assert acks.got == {n: {DELIVERED: 2 * (n % 4)} if n % 4 else {FILTERED: 1} for n in range(20)}


@of_every_kind
def test_rows_of_a_stream_are_committed_before_their_element_is_acknowledged(
    system, acks, stream, tmp_path
):
    path, missing = tmp_path / "rows.db", []

    def ack(n, outcomes):
        acks(n, outcomes)
        if written(path).count(n) != n % 4:
            missing.append(n)

    flow = numbers(ack, 20).flat_map(lambda n: stream([(n,)] * (n % 4)))
    assert run(system, flow.to(into(path))) == 30
    assert missing == []
    assert acks.got == EXPECTED


def into(path):
    return Sink.sqlite(path, "INSERT INTO t VALUES (?)", setup="CREATE TABLE t (n INTEGER)")


def written(path):
    with closing(sqlite3.connect(path)) as database:
        return [n for (n,) in database.execute("SELECT n FROM t")]


@pytest.mark.parametrize("policy", ["stop", "resume", "restart"])
@that_may_be_cut
def test_an_element_whose_stream_fails_is_never_acknowledged(system, acks, stream, policy):
    """Whatever the policy of its stage: no element of that one is at fault, and the run fails."""

    def broken():
        yield 2
        raise OSError("gone")

    flow = numbers(acks, 5).flat_map(lambda n: stream(broken if n == 2 else [n]))
    with pytest.raises(StageError, match="gone"):
        run(system, flow.on_failure(policy).to(Sink.list()))
    assert not acks.got.keys() & {2, 3, 4}


@pytest.mark.parametrize("policy", ["resume", "restart"])
@of_every_kind
def test_an_element_whose_function_raises_is_dead_and_the_streams_around_it_count(
    system, acks, stream, policy
):
    def f(n):
        if n == 2:
            raise ValueError(n)
        return stream([n, n])

    run(system, numbers(acks, 5).flat_map(f).on_failure(policy).to(Sink.count()))
    assert acks.got == {n: {DEAD: 1} if n == 2 else {DELIVERED: 2} for n in range(5)}


def test_a_stream_that_cannot_begin_is_passed_over_as_dead(system, acks):
    """It is, as many a stream whose stages differ, refused only when it is to run."""
    refused = numbers(lambda *_: None)
    flow = numbers(acks, 5).flat_map(lambda n: refused if n == 2 else Source.of(n))
    run(system, flow.on_failure(decider=is_refused).to(Sink.count()))
    assert acks.got == {n: {DEAD if n == 2 else DELIVERED: 1} for n in range(5)}


def is_refused(error, element):
    assert isinstance(error, GraphError)
    return "resume"


class Ended:
    """Elements 0 to 4, each a stream; that of 2 ends its run in the midst, and has no end."""

    def __init__(self, system, acks, stream, call):
        self.started = Future[Any]()
        self.call = call
        self.flow = numbers(acks, 5).flat_map(lambda n: stream(lambda: self.rows_of(n)))
        self.system = system

    def rows_of(self, n):
        for k in count() if n == 2 else range(1):
            if k == 2:
                getattr(self.started.result(SECONDS), self.call)()
            yield (n,)

    def to(self, sink):
        running = self.system.start(self.flow.to(sink))
        self.started.set_result(running)
        return running.result(SECONDS)


@that_may_be_cut
def test_an_element_whose_stream_was_cut_short_by_a_drain_is_never_acknowledged(
    system, acks, stream
):
    rows = Ended(system, acks, stream, "drain").to(Sink.list())
    assert rows[:4] == [(0,), (1,), (2,), (2,)]
    assert acks.got == {0: {DELIVERED: 1}, 1: {DELIVERED: 1}}


@that_may_be_cut
def test_rows_of_a_stream_that_was_cut_short_by_a_drain_are_not_committed(
    system, acks, stream, tmp_path
):
    one, other = tmp_path / "one.db", tmp_path / "other.db"
    fan = Sink.fan(into(one), Sink.count(), into(other))
    assert Ended(system, acks, stream, "drain").to(fan)[::2] == (2, 2)
    assert written(one) == written(other) == [0, 1]
    assert acks.got == {0: {DELIVERED: 3}, 1: {DELIVERED: 3}}


@that_may_be_cut
def test_an_element_whose_stream_was_cancelled_is_never_acknowledged(system, acks, stream):
    with pytest.raises(RunCancelled):
        Ended(system, acks, stream, "cancel").to(Sink.list())
    assert acks.got.keys() <= {0, 1}


@pytest.mark.parametrize("put_together", [False, True])
def test_rows_of_an_element_that_was_cut_off_on_its_way_are_not_waited_for(
    system, acks, tmp_path, put_together
):
    path, switch = tmp_path / "rows.db", KillSwitch()

    def rows_of(n):
        for k in range(3):
            if (n, k) == (2, 1):
                switch.shutdown()
            yield (n,)

    sink = Sink.fan(Sink.count(), Sink.fan(into(path))) if put_together else into(path)
    run(system, numbers(acks, 5).flat_map(rows_of).kill_switch(switch).to(sink))
    assert acks.got.keys() <= set(written(path)) <= {0, 1}
    assert {written(path).count(n) for n in range(5)} <= {0, 3}


@that_may_be_cut
def test_what_is_cut_short_by_a_drain_behind_a_broadcast_is_not_waited_for(
    system, acks, stream, tmp_path
):
    started = Future[Any]()

    def rows_of(n):
        for k in count() if n == 2 else range(1):
            if k == 2:
                started.result(SECONDS).drain()
            yield (n,)

    path = tmp_path / "rows.db"
    one, other = numbers(acks, 5).broadcast(2)
    rows = one.flat_map(lambda n: stream(lambda: rows_of(n)))
    running = system.start(Graph(rows.to(into(path)), other.to(Sink.count())))
    started.set_result(running)
    running.result(SECONDS)
    assert written(path) == [0, 1]
    assert acks.got == {0: {DELIVERED: 2}, 1: {DELIVERED: 2}}
