"""Draining, cancelling and aborting at a random moment: the books are right and nothing is left.

``stress/test_endings.py`` does it a thousand times, and by the clock.
"""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.graph.spec import OPEN, OutletRef, spec_of
from actors_rs.stages.operators.map import Map
from tests.graph.endings import ENDINGS, end_many
from tests.runtime.support import no_thread_left


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("how", ENDINGS)
def test_wherever_a_random_graph_is_ended_every_element_is_accounted_for(how, workers):
    with no_thread_left(), ActorSystem(workers=workers, window=64) as system:
        states = end_many(system, range(workers * 100, workers * 100 + 17), how, seconds=30)
    assert states.total() == 17


def test_drain_waits_for_the_end_only_if_told_how_long():
    with ActorSystem() as system:
        run = system.start(Source.never().to(Sink.list()))
        assert run.drain() in (True, False)
        assert run.drain(20) is True
        assert run.result(20) == []


def test_drain_tells_when_the_run_has_not_ended_in_time_and_the_run_goes_on_draining():
    asleep, wake = threading.Event(), threading.Event()

    def sleeps(n):
        asleep.set()
        return wake.wait(30)

    with ActorSystem() as system:
        run = system.start(Source.of(1).map(sleeps).to(Sink.list()))
        assert asleep.wait(20)
        assert run.drain(0.01) is False
        assert run.state == "running"
        wake.set()
        assert run.result(20) == [True]


def test_a_snapshot_is_fit_for_json_whatever_a_stage_tells_of_itself():
    class Telling(Map):
        def details(self):
            return {"keys": {1, 2}, 3: Path("x"), "deep": [{"error": ValueError("y")}]}

    flow: Flow[Any, Any] = Flow(OutletRef(spec_of("telling", lambda: Telling(str), OPEN)))
    with ActorSystem() as system:
        run = system.start(Source.of(1).via(flow).to(Sink.list()))
        run.result(20)
    data = json.loads(json.dumps(run.snapshot().as_dict()))
    (telling,) = [stage for stage in data["stages"] if stage["kind"] == "telling"]
    assert telling["details"] == {"keys": [1, 2], "3": "x", "deep": [{"error": "y"}]}
    assert [link["upstream"] for link in data["links"]] == ["of", "telling"]
