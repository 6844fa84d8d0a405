"""The caller's context and the span of the run, as functions of stages see them on any thread."""

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.observability.opentelemetry import Tracing
from tests.graph.helpers import SECONDS

USER = ContextVar("user", default="nobody")
PROVIDER = TracerProvider()


def seen(_=None):
    """The caller's variable, and the current span."""
    return USER.get(), trace.get_current_span()


async def seen_later(_):
    await asyncio.sleep(0)
    return seen()


def of_source():
    yield seen()


async def of_async_source():
    yield await seen_later(None)


def one():
    return Source.of(1)


class Kept:
    """A function for a sink, and what it saw."""

    def __init__(self):
        self.found = []

    def __call__(self, _):
        self.found.append(seen())


STREAMS = {
    "map": lambda: one().map(seen),
    "fused": lambda: one().map(abs).map(seen).fuse(),
    "pinned": lambda: one().map(seen).with_attributes(dispatcher="pinned"),
    "after a boundary": lambda: one().async_boundary().map(seen),
    "source": lambda: Source.from_iterable(of_source),
    "async source": lambda: Source.from_iterable(of_async_source),
    "inner stream": lambda: one().flat_map(lambda n: Source.of(n).map(seen)),
    "inner island": lambda: one().flat_map(
        lambda n: Source.of(n).map(abs).async_boundary().map(seen), breadth=2
    ),
    "group": lambda: (
        one().group_by(abs, max_groups=2).flat_map(lambda group: group.map(seen), breadth=2)
    ),
    "fold": lambda: one().reduce(None, lambda *_: seen()),
    "tick": lambda: Source.tick(0.001).map(seen).take(1),
}
"""Streams of what a function saw."""


@pytest.fixture(params=["pool", "calling_thread"])
def system(request):
    with ActorSystem(dispatcher=request.param) as system:
        Tracing(system, PROVIDER, call_ratio=1)
        yield system


@contextmanager
def request_of_ann():
    token = USER.set("ann")
    try:
        with PROVIDER.get_tracer("test").start_as_current_span("request") as caller:
            yield caller
    finally:
        USER.reset(token)


def check_below_the_caller(start):
    """``start`` runs a graph; what its functions saw is the caller's, and the span of the run."""
    with request_of_ann() as caller:
        found = start()
        assert trace.get_current_span() is caller
    assert len(found) == 1
    user, span = found[0]
    assert user == "ann"
    assert span.name == "run run"
    assert span.parent.span_id == caller.get_span_context().span_id


def listed(system, stream):
    return system.start(stream.to(Sink.list())).result(SECONDS)


@pytest.mark.parametrize("name", STREAMS)
def test_a_function_sees_the_callers_context_and_the_runs_span(system, name):
    check_below_the_caller(lambda: listed(system, STREAMS[name]()))


def test_the_function_of_a_sink_sees_them(system):
    kept = Kept()

    def start():
        system.start(one().to(Sink.for_each(kept))).result(SECONDS)
        return kept.found

    check_below_the_caller(start)


def test_a_section_that_was_restarted_sees_them(system):
    tries = []

    def second_time(n):
        tries.append(n)
        if len(tries) == 1:
            raise OSError("not now")
        return seen()

    flow = Flow().map(second_time).restart(max_restarts=2)
    check_below_the_caller(lambda: listed(system, Source.of(1, 2).via(flow)))
    assert tries


def future_of(n):
    future: Future[object] = Future()
    future.set_result(seen())
    return future


def coroutine_of(n):
    return seen_later(n)


@pytest.mark.parametrize("f", [seen, seen_later, future_of, coroutine_of])
@pytest.mark.parametrize("ratio", [0, 1])
def test_a_call_of_map_async_sees_the_callers_context_and_its_own_span(f, ratio):
    with ActorSystem(workers=2) as system:
        Tracing(system, PROVIDER, call_ratio=ratio)
        check_calls(lambda: listed(system, Source.of(1, 2).map_async(f)), bool(ratio))


@pytest.mark.parametrize("ratio", [0, 1])
def test_a_call_on_an_executor_of_threads_sees_them(ratio):
    with ActorSystem(workers=2) as system, ThreadPoolExecutor(1) as executor:
        Tracing(system, PROVIDER, call_ratio=ratio)
        stream = Source.of(1, 2).map_async(seen, executor=executor)
        check_calls(lambda: listed(system, stream), bool(ratio))
        assert executor.submit(USER.get).result(SECONDS) == "nobody"


def check_calls(start, sampled):
    with request_of_ann() as caller:
        found = start()
    assert [user for user, _ in found] == ["ann", "ann"]
    spans = [span for _, span in found]
    assert {one.name for one in spans} == ({"call map_async"} if sampled else {"run run"})
    assert {one.context.trace_id for one in spans} == {caller.get_span_context().trace_id}
    assert len({one.context.span_id for one in spans}) == (2 if sampled else 1)


def test_runs_that_are_started_side_by_side_see_their_own_caller(system):
    found = {}

    def start(name):
        USER.set(name)
        found[name] = listed(system, Source.of(1, 2).map(seen))

    threads = [threading.Thread(target=start, args=(name,)) for name in ("ann", "bob")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    for name, of_run in found.items():
        assert {user for user, _ in of_run} == {name}
    assert len({span.context.trace_id for of_run in found.values() for _, span in of_run}) == 2


def test_a_listener_of_events_may_set_variables_for_the_run_and_not_for_its_caller():
    with ActorSystem(workers=2) as system:
        system.events.listen(lambda event: USER.set(f"{event.name} {event.run_id}"))
        (found,) = listed(system, one().map(seen))
        assert found[0] == "run_started 1"
        assert USER.get() == "nobody"
