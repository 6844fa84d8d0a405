# mypy: disable-error-code="arg-type, call-overload, attr-defined, var-annotated, union-attr"
"""``map_processes(fallback=)``: an element in place of one whose call has failed."""

import os
import time

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import CallTimeout, StageError, StreamError, WorkerDied
from tests.graph.helpers import SECONDS


def kind_of(element, error):
    return element, type(error)


def made_here():
    def troubled(n):
        if n == 1:
            raise ValueError("one")
        if n == 3:
            time.sleep(60)
        if n == 5:
            os._exit(3)
        return n

    return troubled


troubled = made_here()
"""Pickled as it is, so that no worker has to import this module."""
LATE = {1: ValueError, 3: CallTimeout, 5: WorkerDied}


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("chunk", [1, 4])
def test_an_element_whose_call_raised_lasted_or_killed_its_worker_falls_back(
    shared, chunk, ordered
):
    flow = Source.range(0, 8).map_processes(
        troubled, 2, ordered, timeout=0.5, chunk=chunk, fallback=kind_of
    )
    run = shared.start(flow.to(Sink.list()))
    got = run.result(SECONDS)
    expected = [(n, LATE[n]) if n in LATE else n for n in range(8)]
    assert got == expected if ordered else sorted(map(str, got)) == sorted(map(str, expected))
    assert run.snapshot().stages[1].details["fallbacks"] == 3


def test_quick_calls_in_this_process_fall_back_too(shared):
    flow = Source.range(0, 100_000).map_processes(lambda n: n // (n % 1_000), 1, fallback=kind_of)
    run = shared.start(flow.to(Sink.list()))
    got = run.result(SECONDS)
    assert got[::1_000] == [(n, ZeroDivisionError) for n in range(0, 100_000, 1_000)]
    assert got[1::1_000] == list(range(1, 100_000, 1_000))
    assert run.snapshot().stages[1].details["in_process"]


@pytest.mark.parametrize("policy", ["stop", "resume"])
def test_if_it_raises_the_policy_is_followed(shared, policy):
    def refuses(element, error):
        raise LookupError(f"no {element}")

    flow = Source.range(0, 8).map_processes(lambda n: 6 // n, 1, chunk=4, fallback=refuses)
    flow = flow.on_failure(policy)
    if policy == "resume":
        assert shared.start(flow.to(Sink.list())).result(SECONDS) == [6, 3, 2, 1, 1, 1, 0]
        return
    with pytest.raises(StageError, match="at element 0: LookupError") as caught:
        shared.start(flow.to(Sink.list())).result(SECONDS)
    assert isinstance(caught.value.__cause__.__cause__, ZeroDivisionError)


def test_what_fails_the_stage_as_a_whole_does_not_fall_back(shared):
    fallen = []

    def initializer():
        raise ImportError("no library")

    flow = Source.range(0, 8).map_processes(
        str, 1, initializer=initializer, fallback=lambda *given: fallen.append(given)
    )
    with pytest.raises(StreamError, match="no library"):
        shared.start(flow.to(Sink.list())).result(SECONDS)
    assert fallen == []
