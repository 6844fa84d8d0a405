# mypy: disable-error-code="no-untyped-def, var-annotated, override, union-attr"
"""Questions to an actor that is down, of siblings that have to stop before it is restarted."""

import asyncio
import logging
from contextlib import suppress
from typing import Any

import pytest
from pykka import ActorDeadError

from actors_rs import (
    Backoff,
    ChildSpec,
    OneForAll,
    OneForOne,
    PooledActor,
    RestForOne,
    Supervisor,
)
from actors_rs.testing.explore import explore
from actors_rs.testing.world import World

REFUSED = r"'intake/store' is down and .* after its siblings have stopped \('intake/reader'\)"
SOME = Backoff(0.1, 0.4, jitter=0)


class Store(PooledActor):
    def __init__(self):
        super().__init__()
        self.lines = []

    def on_receive(self, line):
        self.lines.append(int(line))
        return self.lines


class Reader(PooledActor):
    """Asks the store, right after it has sent what fails the store."""

    path = "store"

    async def on_receive(self, line):
        store = self.supervisor.child(self.path)
        store.tell("two")
        return await self.answer(store, line)

    async def answer(self, store, line):
        return await store.ask_async(line)


class Asking(PooledActor):
    async def on_receive(self, line):
        return await self.supervisor.child("store").ask_async(line)


class AskingPinned(PooledActor):
    dispatcher = "pinned"

    def on_receive(self, line):
        return self.supervisor.child("store").ask(line)


def intake(world, rule, reader=Reader, **store):
    children = [ChildSpec(Store, name="store", **store), ChildSpec(reader, name="reader")]
    return world.system.supervise(Supervisor(rule, children, name="intake"))


@explore(runs=400)
def test_a_sibling_that_awaits_an_answer_of_the_failed_child_holds_no_restart_up(world):
    rule = world.pick("rule", (RestForOne, OneForAll))
    top = intake(world, rule(backoff=SOME), world.pick("reader", (Asking, AskingPinned)))
    world.soon("fail", lambda: top.child("store").tell("two"))
    with suppress(ActorDeadError):
        assert top.child("reader").ask("3", timeout=10) == [3]
    world.sleep(1)
    assert top.child("reader").ask("4", timeout=10)[-1] == 4


@pytest.mark.parametrize("rule", [RestForOne, OneForAll])
def test_the_sibling_is_answered_when_the_wait_before_the_restart_is_over(rule):
    with World() as world:
        top = intake(world, rule(backoff=Backoff(2, 9, jitter=0)))
        began = world.now
        with pytest.raises(ActorDeadError, match=REFUSED) as caught:
            top.child("reader").ask("3", timeout=60)
        assert world.now - began == pytest.approx(2, abs=0.1)
        assert isinstance(caught.value.__cause__, ValueError)  # the failure of the store
        assert top.child("store").ask("4", timeout=1) == [4]


def test_what_was_told_to_the_failed_child_stays():
    class Telling(Reader):
        async def answer(self, store, line):
            store.tell("5")
            return await store.ask_async(line)

    with World() as world:
        top = intake(world, RestForOne(backoff=SOME), Telling)
        with pytest.raises(ActorDeadError):
            top.child("reader").ask("3", timeout=60)
        assert top.child("store").ask("6") == [5, 6]


def test_questions_wait_for_the_restart_if_all_siblings_stop_in_time():
    with World() as world:
        top = intake(world, RestForOne(backoff=SOME), Asking)
        top.child("store").tell("two")
        assert top.child("store").ask("3", timeout=5) == [3]


def test_a_wish_to_stop_stays_although_its_sender_waits_no_longer():
    class Stopping(Reader):
        async def answer(self, store, line):
            return await store.stop(block=False)

    with World() as world:
        top = intake(world, RestForOne(backoff=SOME), Stopping, restart="transient")
        assert top.child("reader").ask("3", timeout=5) is True
        world.sleep(5)
        assert list(top.children()) == ["reader"]  # the store has started once more, and stopped


def test_a_sibling_that_asks_once_more_is_answered_again():
    class Stubborn(Reader):
        async def answer(self, store, line):
            for _ in range(3):
                with suppress(ActorDeadError):
                    return await store.ask_async(line)
            return "gave up"

    with World() as world:
        top = intake(world, RestForOne(backoff=SOME), Stubborn)
        assert top.child("reader").ask("3", timeout=5) == "gave up"
        assert top.child("store").ask("4", timeout=5) == [4]


def test_a_supervisor_that_gives_up_waits_for_no_such_answer_either():
    children = [ChildSpec(Store, name="store"), ChildSpec(Reader, name="reader")]
    inner = Supervisor(OneForOne(max_restarts=0), children, name="inner")
    with World() as world:
        top = world.system.supervise(Supervisor(OneForOne(backoff=SOME), [inner], name="top"))
        with pytest.raises(ActorDeadError, match="'top/inner/store' is down"):
            top.child("inner/reader").ask("3", timeout=5)
        assert top.child("inner/store").ask("4", timeout=5) == [4]


def test_questions_to_children_of_a_supervisor_that_is_down_are_answered():
    class Far(Reader):
        path = "inner/store"

    inner = Supervisor(OneForOne(max_restarts=0), [ChildSpec(Store, name="store")], name="inner")
    with World() as world:
        top = world.system.supervise(
            Supervisor(OneForAll(backoff=SOME), [inner, ChildSpec(Far, name="far")], name="top")
        )
        with pytest.raises(ActorDeadError, match="'top/inner/store' is down"):
            top.child("far").ask("3", timeout=5)
        assert top.child("inner/store").ask("4", timeout=5) == [4]


def test_at_a_stop_a_child_that_waits_for_its_restart_answers_what_it_was_asked():
    with World() as world:
        top = intake(world, OneForOne(backoff=Backoff(100, 100)))
        answer = top.child("reader").ask("3", block=False)
        world.sleep(1)
        stopped = top.stop(block=False)
        assert answer.get(timeout=5) == [3]
        assert stopped.get(timeout=5) is True


class Fails(Store):
    """Once."""

    def __init__(self, failed):
        super().__init__()
        self.failed = failed

    def on_receive(self, line):
        if not self.failed:
            self.failed.append(line)
            raise OSError("disk full")
        return super().on_receive(line)


class Worker(PooledActor):
    async def on_receive(self, line):
        return await self.supervisor.parent.child("store").ask_async(line)


class AskingWorker(PooledActor):
    async def on_receive(self, line):
        return await self.supervisor.child("workers/worker").ask_async(line)


@explore(runs=200)
def test_a_chain_of_questions_that_ends_at_a_failed_child_holds_no_restart_up(world):
    rule = world.pick("rule", (RestForOne, OneForAll))
    limits: Any = {"max_restarts": 1000, "within": 60.0, "failed_message": "retry", "backoff": SOME}
    workers = Supervisor(OneForOne(**limits), [ChildSpec(Worker, name="worker")], name="workers")
    children: list[ChildSpec | Supervisor] = [
        ChildSpec(Fails, ([],), name="store"),
        workers,
        ChildSpec(AskingWorker, name="asking"),
    ]
    top = world.system.supervise(Supervisor(rule(**limits), children, name="top"))
    with suppress(ActorDeadError):
        assert top.child("asking").ask("3", timeout=60) == [3]
    assert top.child("asking").ask("4", timeout=60)[-1] == 4
    assert world.system.statistics().restarts < 30


def test_one_line_says_for_whom_a_restart_waits(caplog):
    class Busy(Reader):
        async def answer(self, store, line):
            await asyncio.sleep(line)

    with World() as world, caplog.at_level(logging.WARNING, "actors_rs.runtime"):
        top = intake(world, RestForOne(backoff=SOME), Busy)
        top.child("reader").ask(5, timeout=10)
        assert top.child("store").ask("4") == [4]
    lines = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    [line] = [line for line in lines if line.startswith("restart of 'intake/store' waits until")]
    assert "until 'intake/reader' has stopped: it awaits" in line
    assert "Reader.on_receive" in line


def test_a_look_at_an_earlier_round_ends_no_wait_of_a_later_one():
    class Slow(Reader):
        async def answer(self, store, line):
            if line == "busy":
                return await asyncio.sleep(0.15)  # the wait of the first round is over by then
            return await store.ask_async(line)

    with World() as world:
        top = intake(world, RestForOne(backoff=Backoff(0.1, 0.1, jitter=0)), Slow)
        reader = top.child("reader")
        reader.tell("busy")
        began = world.now
        with pytest.raises(ActorDeadError, match=REFUSED):
            reader.ask("3", timeout=60)
        assert world.now - began == pytest.approx(0.25, abs=0.01)
