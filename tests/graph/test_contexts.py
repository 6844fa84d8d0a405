"""Whatever of the user's a run calls sees the context variables of whoever started that run."""

import asyncio
import threading
from concurrent.futures import Future
from contextvars import Context, ContextVar, copy_context
from typing import Any

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.runtime.dispatch.event_loop import EventLoopThread
from tests.graph.helpers import SECONDS

USER = ContextVar("USER", default="nobody")


def user(_: object = None) -> str:
    return USER.get()


async def awaited(_: object = None) -> str:
    return USER.get()


def a_future(_: object = None) -> Future[Any]:
    future: Future[Any] = Future()
    threading.Thread(target=lambda: future.set_result(awaited())).start()  # in no such context
    return future


WAYS: dict[str, Any] = {
    "map": lambda: Source.of(1).map(user),
    "map_async on threads": lambda: Source.of(1).map_async(user, 2),
    "map_async of coroutines": lambda: Source.of(1).map_async(awaited, 2),
    "map_async that returns coroutines": lambda: Source.of(1).map_async(lambda n: awaited(n), 2),
    "map_async that returns futures": lambda: Source.of(1).map_async(a_future, 2),
    "from_future": lambda: Source.from_future(lambda: awaited()),
    "an inner stream": lambda: Source.of(1).flat_map(lambda n: Source.of(n).map_async(awaited, 1)),
    "retried": lambda: Source.of(1).map_async(awaited, 1).retry(),
    "defer": lambda: Source.defer(user),
}


@pytest.mark.parametrize("way", WAYS)
def test_runs_that_go_on_at_the_same_time_see_each_their_own(way: str) -> None:
    def start(system: ActorSystem, name: str) -> Any:
        USER.set(name)
        return system.start(WAYS[way]().to(Sink.first()))

    with ActorSystem() as system:
        names = [f"user {n}" for n in range(40)]
        runs = [copy_context().run(start, system, name) for name in names]
        assert [run.result(SECONDS) for run in runs] == names
        assert user() == "nobody"


def seen_and_set(n: object) -> str:
    before = USER.get()
    USER.set(f"user of {n}")
    return before


async def seen_and_set_awaiting(n: object) -> str:
    before = seen_and_set(n)
    await asyncio.sleep(0)
    assert user() == f"user of {n}"
    return before


@pytest.mark.parametrize("key", [None, str])
@pytest.mark.parametrize(
    "f", [seen_and_set, seen_and_set_awaiting, lambda n: seen_and_set_awaiting(n)]
)
@pytest.mark.parametrize("parallelism", [1, 2])
def test_what_a_call_of_map_async_sets_no_other_call_sees(
    f: Any, parallelism: int, key: Any
) -> None:
    flow = Source.range(0, 6).map_async(f, parallelism, key=key)
    assert flow.run(Sink.list()) == ["nobody"] * 6


def test_coroutines_that_wake_the_event_loop_together_keep_their_contexts() -> None:
    busy, go_on, loop = threading.Event(), threading.Event(), EventLoopThread("test-asyncio")

    async def hold() -> None:
        busy.set()
        go_on.wait(SECONDS)

    def hand_in(name: str) -> Future[str]:
        USER.set(name)
        return loop.run(awaited())

    loop.run(hold())
    assert busy.wait(SECONDS)
    futures = [copy_context().run(hand_in, name) for name in "ab"]
    futures.append(loop.run(awaited(), Context()))
    go_on.set()
    assert [future.result(SECONDS) for future in futures] == ["a", "b", "nobody"]
    assert loop.close(SECONDS) == ()
