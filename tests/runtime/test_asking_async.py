"""``await ref.ask_async(...)``, and what the error of a late answer says."""

import asyncio
import threading
from typing import Any

import pykka
import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem, ChildSpec, OneForOne, PooledActor, Supervisor
from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.testing.world import World
from tests.runtime.support import DEADLINE, eventually


class Clerk(PooledActor):
    """Answers with twice the number; waits for an event that it is given."""

    def on_receive(self, message: Any) -> Any:
        if isinstance(message, threading.Event):
            self.look_up(message)
            return None
        if isinstance(message, Exception):
            raise message
        return 2 * message

    def look_up(self, event: threading.Event) -> None:
        event.wait(DEADLINE)


class AsyncClerk(Clerk):
    async def on_receive(self, message: Any) -> Any:
        if isinstance(message, threading.Event):
            while not message.is_set():
                await asyncio.sleep(0.001)
        return super().on_receive(message)


@pytest.fixture
def system():
    with ActorSystem() as system:
        yield system


@pytest.mark.parametrize("kind", [Clerk, AsyncClerk])
def test_many_coroutines_get_their_answers(system, kind):
    ref = system.spawn(kind)

    async def main() -> list[int]:
        return await asyncio.gather(*(ref.ask_async(n, timeout=DEADLINE) for n in range(100)))

    assert asyncio.run(main()) == [2 * n for n in range(100)]


def test_an_answer_that_comes_as_the_time_is_up_is_the_result(system):
    ref, gate = system.spawn(Clerk), threading.Event()

    async def main() -> int:
        ref.tell(gate)
        asking = asyncio.create_task(ref.ask_async(4, timeout=0.001))
        await asyncio.sleep(0)  # it asks; the loop looks at no timer in between
        gate.set()
        assert ref.ask(5, timeout=DEADLINE) == 10  # both hold the loop up
        threading.Event().wait(0.01)
        return await asking

    assert asyncio.run(main()) == 8


def test_an_error_of_the_handler_is_raised_also_if_it_is_a_timeout(system):
    ref = system.spawn(Clerk)
    with pytest.raises(TimeoutError, match="mine"):
        asyncio.run(ref.ask_async(TimeoutError("mine"), timeout=DEADLINE))


def test_who_asks_a_stopped_actor_is_told(system):
    ref = system.spawn(Clerk)
    ref.stop()
    with pytest.raises(ActorDeadError):
        asyncio.run(ref.ask_async(1))


def test_a_timeout_that_is_no_number_is_refused(system):
    with pytest.raises(InvalidArgumentError):
        asyncio.run(system.spawn(Clerk).ask_async(1, timeout="1"))


def test_the_coroutine_can_be_cancelled_and_the_message_is_handled_all_the_same(system, may):
    ref = system.spawn(AsyncClerk)

    async def main() -> None:
        async with asyncio.timeout(0.05):
            await ref.ask_async(may)

    with pytest.raises(TimeoutError):
        asyncio.run(main())
    may.set()
    assert ref.ask(1, timeout=DEADLINE) == 2


@pytest.mark.parametrize("kind", [Clerk, AsyncClerk])
def test_a_late_answer_says_what_the_actor_is_doing_since_when_and_what_waits(system, may, kind):
    ref = system.spawn(kind)
    ref.tell(may)
    eventually(lambda: not len(ref.actor_inbox))
    where = r"await\w* .*AsyncClerk\.on_receive" if kind is AsyncClerk else r"is in .*Clerk\.on_re"
    says = rf"Clerk .* no answer to 7 within 0\.02 .*: it {where}.*\.py:\d+\) since [\d.e-]+ s, 1"
    with pytest.raises(pykka.Timeout, match=says):
        ref.ask(7, timeout=0.02)
    with pytest.raises(pykka.Timeout, match=rf"Clerk .* within 0\.02 .*: it {where}"):
        asyncio.run(ref.ask_async(8, timeout=0.02))


def test_a_late_answer_says_that_the_actor_is_about_to_be_started(system):
    rule = OneForOne(backoff=Backoff(3600, 3600))
    ref = system.supervise(Supervisor(rule, [ChildSpec(Clerk, name="clerk")])).child("clerk")
    ref.tell(ValueError("fails"))
    eventually(lambda: ref.actor_inbox.halted)
    with pytest.raises(pykka.Timeout, match="its supervisor will start one"):
        ref.ask(1, timeout=0.02)


def test_it_waits_in_virtual_time_in_a_world():
    class Asking(PooledActor):
        async def on_receive(self, ref: Any) -> Any:
            began = asyncio.get_running_loop().time()
            with pytest.raises(pykka.Timeout, match=r"it awaits .*Never"):
                await ref.ask_async("question", timeout=3600.0)
            return asyncio.get_running_loop().time() - began

    class Never(PooledActor):
        async def on_receive(self, message: Any) -> None:
            await asyncio.sleep(7200)

    with World() as world:
        asked, asking = world.spawn(Never), world.spawn(Asking)
        assert asking.ask(asked, timeout=10_000.0) == 3600.0
        world.sleep(7200)
