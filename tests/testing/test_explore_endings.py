"""How a run ends that no stage has failed in: by a ``SystemExit`` or the like, or by the guard."""

import asyncio
import queue
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import suppress

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import WorldError
from actors_rs.testing.explore import Plan, check_scenario, explore, replay, search
from actors_rs.testing.faults import KINDS, Faults

pytestmark = pytest.mark.usefixtures("by_itself")
FAILS_A_STAGE = Exception | asyncio.CancelledError
GRAVE = [name for name, make in KINDS.items() if not isinstance(make(""), FAILS_A_STAGE)]


def mapped(world, f):
    return world.start(Source.range(0, 6).map(f).to(Sink.list())).result()


def failing(kind):
    """A scenario that fails with ``kind``, once the search lets it."""

    def scenario(world):
        mapped(world, Faults(decide=world.fault, kind=kind).around("parse", str))

    return scenario


@pytest.mark.parametrize("kind", GRAVE)
def test_an_injected_fault_that_is_no_exception_is_found_shrunk_and_told_like_others(kind):
    with pytest.raises(AssertionError, match=r"ended with \w+: injected at 'parse'") as caught:
        check_scenario(failing(kind), Plan(runs=500, faults=0.1))
    assert type(caught.value.__cause__) is type(KINDS[kind](""))
    note = "\n".join(caught.value.__notes__)
    assert "seed: 0\ntrace: v1:" in note
    assert "replay it: " in note


def test_the_trace_of_an_interrupt_makes_it_again_and_ends_the_test_alone():
    plan = Plan(runs=500, faults=0.1)
    failure = search(failing("KeyboardInterrupt"), plan).failure
    assert failure is not None
    assert len(failure.trace.deviations) == 1
    with pytest.raises(AssertionError, match="ended with KeyboardInterrupt"):
        replay(failing("KeyboardInterrupt"), plan, failure.trace)


def test_a_fault_in_the_scenario_itself_is_a_failure_too():
    def scenario(world):
        Faults(decide=world.fault, kind="KeyboardInterrupt").visit("between two graphs")

    failure = search(scenario, Plan(runs=500, faults=0.1)).failure
    assert failure is not None
    assert isinstance(failure.error, KeyboardInterrupt)


def test_a_function_that_leaves_the_program_is_a_failure():
    with pytest.raises(AssertionError, match="ended with SystemExit: 3"):
        check_scenario(lambda world: mapped(world, lambda n: n < 5 or sys.exit(3)), Plan(runs=9))


def test_a_test_that_fails_as_pytest_does_it_is_told_as_it_is():
    with pytest.raises(pytest.fail.Exception, match="no") as caught:
        check_scenario(lambda world: pytest.fail("no"), Plan(runs=9))
    assert "trace: v1:" in "\n".join(caught.value.__notes__)


@pytest.mark.parametrize(
    ("ending", "where"),
    [
        (KeyboardInterrupt, "scenario"),
        (KeyboardInterrupt, "stage"),
        (pytest.skip.Exception, "scenario"),
        (pytest.skip.Exception, "stage"),
        (pytest.exit.Exception, "scenario"),
    ],
)
def test_what_ends_the_test_itself_ends_the_search(ending, where):
    runs = []

    def end(_):
        raise ending("enough")

    @explore(runs=50)
    def test(world):
        runs.append(world)
        if where == "stage":
            mapped(world, end)
        end(world)

    with pytest.raises(ending, match="enough") as caught:
        test()
    assert len(runs) == 1
    assert "trace: " not in "".join(getattr(caught.value, "__notes__", []))


# What looks for the real clock


def test_a_real_wait_is_told_before_it_begins():
    def scenario(world):
        async def main():
            return await world.start(Source.range(0, 3).to(Sink.list()))

        asyncio.run(main())  # without end: nobody moves the world on meanwhile

    with pytest.raises(WorldError, match=r"monotonic\(\) of the real one .*test_explore_endings"):
        check_scenario(scenario, Plan(runs=3))


@pytest.mark.parametrize(
    "wait",
    [
        lambda: threading.Event().wait(),
        lambda: threading.Event().wait(0.01),
        lambda: Future().result(),
        lambda: queue.Queue().get(),
        lambda: threading.Condition().wait_for(bool),
    ],
)
def test_a_wait_for_another_thread_is_told_before_it_begins(wait):
    def scenario(world):
        mapped(world, lambda x: wait() or x)

    said = r"about to wait for another one, .* at .*test_explore_endings"
    with pytest.raises(WorldError, match=said):
        check_scenario(scenario, Plan(runs=3))


def test_what_does_not_have_to_be_waited_for_is_no_wait():
    def scenario(world):
        event, future, full = threading.Event(), Future[int](), queue.Queue[int]()
        assert not event.wait(0)
        event.set()
        future.set_result(2)
        full.put(3)
        return event.wait(), future.result(), full.get()

    check_scenario(scenario, Plan(runs=3))


def test_the_code_behind_a_look_at_the_clock_does_not_run():
    def scenario(world):
        time.time()
        pytest.fail("it went on")

    with pytest.raises(WorldError, match=r"time\(\) of the real one"):
        check_scenario(scenario, Plan(runs=3))


@pytest.mark.parametrize("last", [int, lambda: sys.exit(2), lambda: 1 / 0])
def test_a_scenario_cannot_hide_that_it_looked_at_the_clock(last):
    def scenario(world):
        with suppress(Exception):
            time.time()
        last()

    with pytest.raises(WorldError, match=r"time\(\) of the real one"):
        check_scenario(scenario, Plan(runs=3))


def test_a_run_that_looked_at_the_clock_is_not_made_again_to_shrink_it():
    runs = []

    def scenario(world):
        runs.append(world.pick("size", range(9)))
        time.time()

    with pytest.raises(WorldError):
        check_scenario(scenario, Plan(runs=3, windows=(1, 2, 3, 4)))
    assert len(runs) == 1


def test_a_replay_finds_the_clock_as_the_search_does():
    failure = search(lambda world: time.time(), Plan(runs=3)).failure
    assert failure is not None
    with pytest.raises(WorldError, match=r"time\(\) of the real one"):
        replay(lambda world: time.time(), Plan(), failure.trace)
