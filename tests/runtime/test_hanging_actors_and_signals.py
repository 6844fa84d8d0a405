"""Ctrl-C and SIGTERM where a block ends, while a handler of an actor never returns."""

import signal

import pytest

from actors_rs import ActorSystem, PooledActor
from actors_rs.runtime._primitives import monotonic
from actors_rs.runtime.system.shutdown import Shutdown
from tests.runtime.processes import Program

BESIDE = """
import asyncio
handled, stopped = [], []

class Works(PooledActor):
    def on_receive(self, message):
        time.sleep(0.01)
        handled.append(message)
    def on_stop(self):
        stopped.append(len(handled))

class Hangs(PooledActor):
    def on_receive(self, message):
        say("hangs")
        threading.Event().wait()

def begin(system):
    works = system.spawn(Works)
    system.spawn(Hangs).tell("message")  # stops first
    for number in range(500):
        works.tell(number)
    say("told")

try:
    {block}
except (SystemExit, KeyboardInterrupt) as error:
    letters = system.dead_letters.total
    say(type(error).__name__, letters > 0, letters + len(handled), stopped == [len(handled)])
    raise
"""
SIGNALS = "with ActorSystem() as system: system.handle_signals(grace={grace}); begin(system)"
CTRL_C = "with ActorSystem() as system: begin(system)"
COROUTINE = """
    async def main():
        global system
        async with ActorSystem() as system:
            {signals}begin(system)
    asyncio.run(main())
"""
HANDLING = COROUTINE.format(signals="system.handle_signals(grace=0.2); ")


def ended(block, *numbers):
    """The exit code of the program, and what it said at its end."""
    program = Program(BESIDE.format(block=block))
    assert {program.next_line(), program.next_line()} == {"hangs", "told"}
    began = monotonic()
    for number in numbers:
        program.send(number)
        if number is signal.SIGINT:
            program.error_line()  # the next one is not the same
    code, lines, errors = program.wait()
    assert monotonic() - began < 20, errors  # a second; the shutdown may take 30
    assert "Hangs" in errors
    return code, lines


@pytest.mark.parametrize("block", [SIGNALS.format(grace=0.2), HANDLING], ids=["plain", "coroutine"])
def test_when_the_grace_is_over_the_neighbours_stop_and_all_messages_are_accounted_for(block):
    assert ended(block, signal.SIGTERM) == (143, ["SystemExit True 500 True"])


def test_a_second_signal_stops_the_neighbours_and_accounts_for_all_messages():
    block = SIGNALS.format(grace=60)
    assert ended(block, signal.SIGINT, signal.SIGINT) == (130, ["SystemExit True 500 True"])


@pytest.mark.parametrize(
    "block", [CTRL_C, COROUTINE.format(signals="")], ids=["plain", "coroutine"]
)
def test_ctrl_c_where_the_block_ends_stops_the_neighbours_and_accounts_for_all_messages(block):
    code, lines = ended(block, signal.SIGINT)
    assert (code, lines) == (-signal.SIGINT, ["KeyboardInterrupt True 500 True"])


IN_VAIN = """
import asyncio
over = threading.Event()

class Hangs(PooledActor):
    def on_receive(self, message):
        say("hangs")
        threading.Event().wait()

async def main():
    async with ActorSystem() as system:
        system.spawn(Hangs).tell("message")
        threading.Thread(target=interrupt, args=[system], daemon=True).start()

def interrupt(system):
    main = threading.main_thread().ident
    while system.is_open or sys._current_frames()[main].f_code.co_name != "select":
        time.sleep(0.01)
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
    over.wait()

asyncio.run(main())
"""


def test_ctrl_c_that_does_not_wake_the_event_loop_is_heeded_within_seconds():
    began = monotonic()
    program = Program(IN_VAIN)
    assert program.next_line() == "hangs"
    code, _, errors = program.wait()
    assert code == -signal.SIGINT, errors
    assert monotonic() - began < 20, errors  # the shutdown may take 30


def test_ctrl_c_before_the_shutdown_of_a_block_has_begun_ends_the_system_too(monkeypatch):
    run, interrupts = Shutdown.run, [KeyboardInterrupt()]

    def interrupted(self):
        if interrupts:
            raise interrupts.pop()
        run(self)

    monkeypatch.setattr(Shutdown, "run", interrupted)
    with pytest.raises(KeyboardInterrupt), ActorSystem() as system:
        ref = system.spawn(PooledActor)
    assert not system.is_open
    assert not ref.is_alive()
