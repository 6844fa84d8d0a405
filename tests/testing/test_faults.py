# mypy: disable-error-code="arg-type, dict-item"
"""Faults happen where, when and as they were ordered."""

import inspect
import threading
from typing import Any

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import InvalidArgumentError
from actors_rs.testing.explore import Plan, check_scenario
from actors_rs.testing.faults import (
    HOSTILE_METHODS,
    KINDS,
    Fault,
    Faults,
    JumpingClock,
    Stuck,
    faulty_stage,
    hostile,
    threads_refused,
)
from actors_rs.testing.world import World


def visits(faults, point, count):
    """At which of ``count`` visits it raises."""
    raised = []
    for number in range(count):
        try:
            faults.visit(point)
        except BaseException:
            raised.append(number)
    return raised


def test_a_seed_gives_the_same_faults_again():
    first = visits(Faults(0.1, seed=3), "here", 200)
    assert first == visits(Faults(0.1, seed=3), "here", 200)
    assert first != visits(Faults(0.1, seed=4), "here", 200)
    assert 5 < len(first) < 50


def test_a_rate_can_be_kept_to_some_points():
    faults = Faults(1.0, points=("here",))
    assert visits(faults, "there", 9) == []
    assert visits(faults, "here", 2) == [0, 1]
    assert (faults.visits["there"], faults.happened["here"]) == (9, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_the_visit_that_was_named_raises_what_was_ordered(kind):
    faults = Faults.at({"here": 3}, kind)
    assert visits(faults, "here", 9) == [2]
    with pytest.raises(type(KINDS[kind](""))):
        Faults.at({"f": 1}, kind).around("f", abs)(-1)


def test_bad_orders_are_refused_in_a_sentence():
    with pytest.raises(InvalidArgumentError, match=r"kind must be one of 'exception', .*'odd'"):
        Faults(kind="odd")
    with pytest.raises(InvalidArgumentError, match=r"kind must be one of 'exception', .* got \[\]"):
        Faults(kind=[])
    with pytest.raises(InvalidArgumentError, match="rate must be a rate from 0 to 1, got 2"):
        Faults(2)
    with pytest.raises(InvalidArgumentError, match=r"hostile: expected one of .*got '__len__'"):
        hostile("__len__")


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (lambda: Faults("often"), "rate must be a rate from 0 to 1, got 'often'"),
        (lambda: Faults(0.1, seed=None), "seed must be an int, got None"),
        (lambda: Faults(1.0, points="parse"), r"points must be such as \('parse',\), got 'parse'"),
        (lambda: Faults(1.0, points=(1,)), "a point must be a text, got 1"),
        (lambda: Faults(decide=True), "decide must be a function of a point, got True"),
        (lambda: Faults.at({"p": 0}), "the visit of 'p' must be at least 1, got 0"),
        (lambda: Faults.at({"p": "x"}), "the visit of 'p' must be an int, got 'x'"),
        (lambda: Faults.at("p"), "visits must be such as {'parse': 3}, got 'p'"),
    ],
)
def test_an_order_that_could_not_happen_or_not_be_repeated_is_refused(order, said):
    with pytest.raises(InvalidArgumentError, match=said):
        order()


async def doubled(number):
    return 2 * number


def test_a_coroutine_function_with_a_point_is_awaited_like_the_one_without():
    faults = Faults.at({"double": 2})
    visited = faults.around("double", doubled)
    assert inspect.iscoroutinefunction(visited)
    call = visited(1)
    assert faults.visits["double"] == 0  # nothing happens before it is awaited
    call.close()
    with World() as world:
        flow = Source.range(0, 3).map_async(visited, parallelism=1).on_failure("resume")
        assert world.start(flow.to(Sink.list())).result() == [0, 4]


@pytest.mark.parametrize("method", [name for name in HOSTILE_METHODS if name != "__del__"])
def test_a_hostile_object_raises_in_that_method_alone(method):
    call: dict[str, Any] = {
        "__eq__": lambda x: x == 1,
        "__hash__": hash,
        "__bool__": bool,
        "__str__": str,
    }
    with pytest.raises(Fault, match=f"injected in {method}"):
        call.get(method, repr)(hostile(method))
    assert hostile(method) is not None


def test_in_a_world_the_search_decides():
    seen = set()

    def scenario(world):
        faults = Faults(decide=world.fault)
        run = world.start(faulty_stage(Source.range(0, 3), faults).to(Sink.list()))
        run.wait()
        seen.add(run.state)

    check_scenario(scenario, Plan(runs=200, faults=0.2))
    assert seen == {"completed", "failed"}


def test_a_stuck_function_returns_once_it_is_released():
    with Stuck() as stuck:
        thread = threading.Thread(target=stuck, args=(1,))
        thread.start()
        stuck.release()
        thread.join(20)
        assert not thread.is_alive()
        assert stuck(2) == 2


def test_threads_are_refused_by_name_and_only_in_the_block():
    with threads_refused("no-") as refused:
        with pytest.raises(RuntimeError, match="can't start new thread"):
            threading.Thread(target=print, name="no-1").start()
        threading.Thread(target=abs, args=(1,), name="yes").start()
    assert refused == {"no-1": 1}
    threading.Thread(target=abs, args=(1,), name="no-2").start()


def test_a_clock_jumps_and_goes_on_from_there():
    clock = JumpingClock(lambda: 10.0)
    clock.jump(-3)
    assert clock() == 7.0
    real = JumpingClock()
    with ActorSystem(resources=real.resources()) as system:
        real.jump(3600)
        assert system.start(Source.range(0, 9).to(Sink.count())).result(20) == 9
