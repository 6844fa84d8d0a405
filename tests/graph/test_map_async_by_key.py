# mypy: disable-error-code="arg-type, call-overload, var-annotated"
"""``map_async(f, parallelism, key=...)``: one call at a time for each key."""

import threading
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Flow, Sink, Source
from actors_rs.errors import InvalidArgumentError, StageError
from tests.graph.helpers import SECONDS
from tests.graph.models import check_operator, quick, trials


def by_key(pairs):
    return {key: [x for k, x in pairs if k == key] for key, _ in pairs}


async def coroutine(x):
    return x % 3, x


@pytest.mark.parametrize("f", [lambda x: (x % 3, x), coroutine])
@quick
@given(parallelism=st.integers(1, 5), trial=trials())
def test_results_of_a_key_come_in_the_order_of_its_elements(shared, f, parallelism, trial):
    check_operator(
        shared,
        lambda s: s.map_async(f, parallelism, key=lambda x: x % 3),
        lambda xs: [(x % 3, x) for x in xs],
        trial,
        view=by_key,
    )


def test_calls_of_a_key_never_overlap_and_those_of_others_do(shared):
    lock, running, faults = threading.Lock(), Counter(), []
    both = threading.Barrier(2)

    def f(x):
        with lock:
            running[x % 2] += 1
            if running[x % 2] > 1:
                faults.append(x)
        both.wait(SECONDS)  # until a call of the other key is under way
        with lock:
            running[x % 2] -= 1
        return x

    flow = Source.range(0, 40).map_async(f, 4, key=lambda x: x % 2)
    got = shared.start(flow.to(Sink.list())).result(SECONDS)
    assert faults == []
    assert sorted(got) == list(range(40))


def test_a_key_that_raises_fails_the_stage_and_names_the_element(shared):
    flow = Source.of(3, 2, 1, 0).map_async(str, 2, key=lambda x: 6 // x)
    with pytest.raises(StageError) as caught:
        shared.start(flow.to(Sink.list())).result(SECONDS)
    assert (caught.value.stage, caught.value.position) == ("map_async", 3)


def test_a_failed_call_that_is_passed_over_lets_the_next_of_its_key_begin(shared):
    flow = Source.of(1, 0, 2, 0, 4).map_async(lambda x: 4 // x, 3, key=lambda _: "one")
    assert shared.start(flow.on_failure("resume").to(Sink.list())).result(SECONDS) == [4, 2, 1]


def test_no_key_is_remembered_when_none_is_under_way(shared):
    run = shared.start(Source.range(0, 100).map_async(str, 4, key=str).to(Sink.count()))
    assert run.result(SECONDS) == 100
    (stage,) = [s for s in run.snapshot().stages if s.kind == "map_async"]
    assert stage.details["keys"] == 0


def test_wrong_arguments_are_refused_when_the_blueprint_is_built():
    with pytest.raises(TypeError, match="map_async: key must be callable, got 'name'"):
        Flow().map_async(str, 2, key="name")
    with pytest.raises(InvalidArgumentError, match="exclude each other"):
        Flow().map_async(str, 2, ordered=False, key=str)
