# mypy: disable-error-code="var-annotated"
"""``map_async`` alone: its calls, its slots, and nobody who runs them but the test."""

from concurrent.futures import Future

from actors_rs.stages.operators.map_async import MapAsync
from actors_rs.stages.operators.map_async_by_key import MapAsyncByKey
from tests.stages.harness import Alone


def slow_calls(ordered):
    """Ten elements, three slots, and the futures that end the calls."""
    futures = [Future() for _ in range(10)]
    stage = Alone(MapAsync(futures.__getitem__, 3, ordered, None)).request(100)
    stage.push(*range(10))
    return stage, futures


def run_jobs(stage, begun=0):
    for job in stage.jobs[begun:]:
        job()
    return len(stage.jobs)


def test_map_async_has_no_more_calls_under_way_than_allowed():
    stage, futures = slow_calls(ordered=True)
    assert run_jobs(stage) == 3
    assert stage.logic.details()["under_way"] == 3
    futures[1].set_result("b")
    stage.turn()
    assert stage.down.elements == []
    assert run_jobs(stage, 3) == 4
    futures[0].set_result("a")
    stage.turn()
    assert stage.down.elements == ["a", "b"]
    assert run_jobs(stage, 4) == 5
    assert stage.logic.details()["under_way"] == 3


def test_map_async_unordered_gives_what_is_ready():
    stage, futures = slow_calls(ordered=False)
    assert run_jobs(stage) == 3
    futures[2].set_result("c")
    stage.turn()
    assert stage.down.elements == ["c"]
    assert len(stage.jobs) == 4


def test_whoever_ends_a_call_takes_the_next_one_that_waits():
    stage = Alone(MapAsync(lambda n: n, 3, True, None)).request(100)
    stage.push(*range(10))
    assert len(stage.jobs) == 3
    stage.jobs[0]()
    stage.turn()
    assert stage.down.elements == [0, 1, 2, 3, 4, 5]
    assert len(stage.jobs) == 4, "the two that have not run keep their slots"


def test_a_call_takes_one_slot_however_many_are_free():
    stage = Alone(MapAsync(lambda n: n, 100, True, None)).request(100)
    assert len(stage.push(1).jobs) == 1
    assert len(stage.turn().jobs) == 1, "it waits for its thread"
    assert len(stage.push(2, 3).jobs) == 3
    run_jobs(stage)
    assert stage.turn().down.elements == [1, 2, 3]
    assert len(stage.push(4).jobs) == 4


def test_a_call_that_got_no_thread_before_the_stage_stopped_is_not_made():
    calls = []
    stage = Alone(MapAsync(calls.append, 3, True, None)).request(100)
    stage.push(1, 2).cancel()
    stage.logic.stop(None)
    for job in stage.jobs:
        job()
    assert calls == []


def test_a_call_that_is_not_in_the_turn_of_its_key_takes_no_slot():
    stage = Alone(MapAsyncByKey(lambda n: n, 100, lambda n: n % 2, None)).request(100)
    assert len(stage.push(1, 3, 5, 2).jobs) == 2
    run_jobs(stage)
    assert len(stage.turn().jobs) == 3
    run_jobs(stage, 2)
    stage.turn()
    run_jobs(stage, 3)
    assert stage.turn().down.elements == [1, 2, 3, 5]
