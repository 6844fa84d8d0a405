"""Other code of the user's that an end does not wait for: sections, peers, hooks, callbacks."""

import asyncio
import threading
from typing import Any

import pytest

from actors_rs import ActorSystem, Backoff, Flow, Graph, PooledActor, Sink, Source
from actors_rs.errors import RunCancelled, StageError
from actors_rs.runtime._primitives import monotonic
from tests.graph.stuck import FAR_BELOW_A_CALL, Stuck, letters, stuck_system
from tests.runtime.support import eventually, raises_at_the_end

LATE = "the call returned after its stage was abandoned"


class Peer:
    """A foreign subscriber that is stuck in a signal of its choice."""

    def __init__(self, stuck, at):
        self.stuck, self.at = stuck, at
        self.signals = []
        self.under_way = 0

    def _signal(self, name, *args):
        assert not self.under_way, "rule 1.3"
        self.under_way += 1
        self.signals.append((name, *args))
        if name == self.at:
            self.stuck()
        self.under_way -= 1

    def on_subscribe(self, subscription):
        subscription.request(10)
        self._signal("on_subscribe")

    def on_next(self, element):
        self._signal("on_next", element)

    def on_error(self, error):
        self._signal("on_error", type(error))

    def on_complete(self):
        self._signal("on_complete")


def run_of(system: Any) -> Any:
    (scope,) = system._activities
    return scope.run


@pytest.mark.parametrize("at", ["on_subscribe", "on_next"])
@pytest.mark.parametrize("served_by", ["publisher", "processor"])
def test_a_subscriber_that_is_stuck_in_a_signal_hears_of_the_end_behind_it(at, served_by):
    stuck = Stuck()
    peer = Peer(stuck, at)
    with stuck_system(stuck) as system:
        if served_by == "publisher":
            system.publisher(Source.range(0, 5)).subscribe(peer)
        else:
            processor = system.processor(Flow[int, int]().map(abs))
            system.publisher(Source.range(0, 5)).subscribe(processor)
            processor.subscribe(peer)
        assert stuck.begun.wait(20)
        scopes: Any = tuple(system._activities)
        for scope in scopes:
            scope.cancel()
        for scope in scopes:
            assert scope.run.wait(FAR_BELOW_A_CALL)
        before = list(peer.signals)
        assert before[-1][0] == at
        stuck.release()
        eventually(lambda: peer.signals[-1] == ("on_error", RunCancelled))
        assert peer.signals[:-1] == before


def test_a_subscriber_behind_a_stage_that_is_stuck_hears_of_the_end_at_once():
    stuck = Stuck()
    peer = Peer(stuck, "nothing")
    with stuck_system(stuck) as system:
        system.publisher(Source.range(0, 5).map(stuck)).subscribe(peer)
        assert stuck.begun.wait(20)
        run = run_of(system)
        run.cancel()
        assert run.wait(FAR_BELOW_A_CALL)
        eventually(lambda: peer.signals[-1] == ("on_error", RunCancelled))
        stuck.release()
        eventually(lambda: letters(system, LATE))
        assert peer.signals == [("on_subscribe",), ("on_error", RunCancelled)]


class StuckPublisher:
    def __init__(self, stuck, at):
        self.stuck, self.at = stuck, at

    def subscribe(self, subscriber):
        subscriber.on_subscribe(self)
        if self.at == "subscribe":
            self.stuck()

    def request(self, n):
        if self.at == "request":
            self.stuck()

    def cancel(self):
        if self.at == "cancel":
            self.stuck()


@pytest.mark.parametrize("at", ["subscribe", "request", "cancel"])
def test_a_publisher_that_is_stuck_holds_up_no_end(at):
    stuck = Stuck()
    with stuck_system(stuck) as system:
        run = system.start(Source.from_publisher(StuckPublisher(stuck, at)).to(Sink.list()))
        if at != "cancel":
            assert stuck.begun.wait(20)
        else:
            eventually(lambda: system.statistics().turns > 1)
        run.cancel()
        with pytest.raises(RunCancelled):
            run.result(FAR_BELOW_A_CALL)


@pytest.mark.parametrize("where", ["behind", "before", "beside"])
def test_a_section_is_restarted_though_a_stage_of_it_is_stuck(where):
    stuck, failed = Stuck(at=1), threading.Event()

    def fails(element):
        if not failed.is_set() and stuck.begun.wait(20):
            failed.set()
            raise ValueError(element)
        return element

    def sticks(element):
        return element if failed.is_set() else stuck(element)

    flows = {
        "behind": lambda: Source.range(0, 3).map(lambda x: x if x < 2 else fails(x)).map(sticks),
        "before": lambda: (
            Source.range(0, 3)
            .map(sticks)
            .with_attributes(window=1)
            .map(lambda x: x)
            .merge(Source.of(9).map(fails))
        ),
        "beside": lambda: Source.range(0, 3).map(sticks).merge(Source.of(9).map(fails)),
    }
    with stuck_system(stuck) as system:
        section = flows[where]().restart(Backoff(0.01, 0.01), max_restarts=3, within=60)
        run = system.start(section.to(Sink.list()))
        assert set(run.result(FAR_BELOW_A_CALL)) >= {0, 1, 2}
        assert system.statistics().abandoned == 1


def test_an_inner_stream_that_fails_is_recovered_from_though_a_stage_of_it_is_stuck():
    stuck = Stuck()
    with stuck_system(stuck) as system:
        inner = Source.from_iterable(stuck.iterator).idle_timeout(0.05).recover(lambda error: -1)
        run = system.start(Source.of(1).flat_map(lambda _: inner, breadth=2).to(Sink.list()))
        assert run.result(FAR_BELOW_A_CALL) == [1, -1]


def test_those_who_await_a_run_do_not_wait_for_what_is_called_at_its_end():
    stuck = Stuck()

    async def waits(system):
        run = system.start(Source.queue(1).to(Sink.list()))
        task = asyncio.ensure_future(_awaited(run))
        await asyncio.sleep(0)
        run.when_ended(stuck)
        run.queue().complete()
        return await asyncio.wait_for(task, FAR_BELOW_A_CALL)

    with stuck_system(stuck) as system:
        assert asyncio.run(waits(system)) == []
        stuck.release()


async def _awaited(run):
    return await run


def test_a_block_left_by_an_exception_does_not_wait_for_a_function_called_at_the_end_of_a_run():
    stuck = Stuck()
    began = monotonic()
    with raises_at_the_end(ValueError, match="mine"), stuck_system(stuck) as system:
        run = system.start(Source.queue(1).to(Sink.list()))
        run.when_ended(stuck)
        raise ValueError("mine")
    assert monotonic() - began < FAR_BELOW_A_CALL


def test_a_block_left_by_an_exception_does_not_wait_for_the_hooks_of_an_actor(caplog):
    stuck = Stuck()

    class Stops(PooledActor):
        def on_stop(self):
            stuck()

    began = monotonic()
    with raises_at_the_end(ValueError, match="mine"), stuck_system(stuck) as system:
        system.spawn(Stops)
        raise ValueError("mine")
    assert monotonic() - began < FAR_BELOW_A_CALL
    assert "still busy: Stops" in caplog.text


def test_upstream_of_a_stage_that_is_given_up_releases_what_it_holds():
    stuck, closed = Stuck(), threading.Event()

    def numbers():
        try:
            yield from range(1000)
        finally:
            closed.set()

    with stuck_system(stuck) as system:
        flow = Source.from_iterable(numbers).map(stuck).with_attributes(window=1)
        run = system.start(flow.to(Sink.list()))
        assert stuck.begun.wait(20)
        run.cancel()
        with pytest.raises(RunCancelled):
            run.result(FAR_BELOW_A_CALL)
        assert closed.wait(20)


def test_what_a_stage_holds_is_released_when_its_call_returns():
    stuck, closed = Stuck(), threading.Event()

    def numbers():
        try:
            yield 1
            stuck()
            yield 2
        finally:
            closed.set()

    with stuck_system(stuck) as system:
        run = system.start(Source.from_iterable(numbers).to(Sink.list()))
        assert stuck.begun.wait(20)
        run.cancel()
        assert run.wait(FAR_BELOW_A_CALL)
        assert not closed.is_set()
        stuck.release()
        assert closed.wait(20)


def test_a_branch_that_is_stuck_is_told_of_by_nobody_but_the_log_when_the_other_one_fails():
    stuck = Stuck()

    def fails(element):
        raise ValueError(element)

    with stuck_system(stuck) as system:
        first, second = Source.range(0, 5).broadcast(2)
        graph = Graph(
            first.map(stuck).to(Sink.list()),
            second.map(lambda x: stuck.begun.wait(20) and fails(x)).to(Sink.list()),
        )
        with pytest.raises(StageError) as caught:
            system.start(graph).result(FAR_BELOW_A_CALL)
        assert caught.value.others == ()


def test_a_thousand_stages_that_are_stuck_are_given_up_together():
    stuck = Stuck()
    with ActorSystem(cancel_grace=0.2, max_workers=400) as system:
        try:
            flow = Source.range(0, 300).flat_map(
                lambda x: Source.from_iterable(stuck.iterator).map(abs), breadth=300
            )
            run = system.start(flow.to(Sink.list()))
            eventually(lambda: len(stuck.threads) >= 40)
            began = monotonic()
            run.cancel()
            with pytest.raises(RunCancelled):
                run.result(60)
            assert monotonic() - began < FAR_BELOW_A_CALL
        finally:
            stuck.release()
