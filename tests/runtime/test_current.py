"""The block of a system: where it is the current one, and left in whatever context."""

import asyncio
import contextvars

import pytest

from actors_rs import ActorSystem
from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.system.current import Block, _innermost
from actors_rs.runtime.system.default_system import current_system
from tests.runtime.support import Recorder, behind, no_thread_left


def elsewhere(leave, *args):
    """Leave a block in a context that has not seen how it was entered."""
    return contextvars.Context().run(leave, *args)


def blocks_kept():
    block, kept = _innermost.get(), 0
    while block is not None:
        block, kept = block._outer, kept + 1
    return kept


def test_a_block_that_is_left_in_another_context_shuts_its_system_down():
    with no_thread_left():
        system = ActorSystem().__enter__()
        ref = system.spawn(Recorder)
        elsewhere(system.__exit__, None, None, None)
        assert not ref.is_alive()
        assert not system.is_open
    assert current_system() is None


def test_a_fixture_whose_halves_run_in_two_tasks_shuts_its_system_down():
    async def fixture():
        async with ActorSystem() as system:
            yield system

    async def both_halves():
        halves = fixture()
        system = await asyncio.create_task(halves.__anext__())
        await asyncio.create_task(halves.aclose())
        return system.is_open

    with no_thread_left():
        assert asyncio.run(both_halves()) is False


def test_the_error_of_a_block_that_is_left_in_another_context_stays_the_one_that_it_was():
    def halves():
        with ActorSystem():
            yield

    block = halves()
    next(block)
    with no_thread_left(), pytest.raises(ZeroDivisionError):
        elsewhere(block.throw, ZeroDivisionError)


def test_a_block_that_is_left_twice_is_harmless():
    system = ActorSystem().__enter__()
    for _ in range(2):
        system.__exit__(None, None, None)


def test_a_block_around_one_that_was_left_in_another_context_is_the_current_one_again():
    with ActorSystem() as around:
        inner = ActorSystem().__enter__()
        assert current_system() is inner
        elsewhere(inner.__exit__, None, None, None)
        assert current_system() is around
        assert behind(Recorder.start()).system is around
    assert current_system() is None


def test_blocks_that_are_left_in_the_order_they_were_entered_leave_no_current_system():
    first, second = ActorSystem().__enter__(), ActorSystem().__enter__()
    first.__exit__(None, None, None)
    assert current_system() is second
    second.__exit__(None, None, None)
    assert current_system() is None


def test_blocks_that_are_left_in_another_context_are_not_kept():
    with ActorSystem() as system:
        for _ in range(10):
            block = Block(system)
            block.enter()
            elsewhere(block.leave)
            assert blocks_kept() <= 2
        assert current_system() is system


def test_blocks_of_which_the_outer_one_is_always_left_first_are_not_kept():
    with ActorSystem() as system:
        block = Block(system)
        block.enter()
        for _ in range(10):
            before, block = block, Block(system)
            block.enter()
            before.leave()
            assert blocks_kept() <= 3
        block.leave()
        assert blocks_kept() == 1


def test_what_an_actor_starts_behind_the_end_of_its_system_is_refused_and_starts_no_other():
    with ActorSystem(dispatcher="calling_thread") as system:
        context = behind(system.spawn(Recorder))._context_
    with no_thread_left(), pytest.raises(InvalidArgumentError, match="was shut down"):
        context.run(Recorder.start)
