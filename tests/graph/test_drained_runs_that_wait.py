"""A run that is drained and does not end says what it waits for."""

import logging
import threading
from concurrent.futures import Future
from typing import Any

from actors_rs import ActorSystem, Backoff, Graph, Sink, Source
from tests.graph.stuck import Stuck, stuck_system
from tests.runtime.support import eventually


def test_after_a_second_the_log_and_the_repr_name_the_stage_that_is_in_a_call(caplog):
    caplog.set_level(logging.INFO)
    stuck = Stuck()
    with stuck_system(stuck) as system:
        first, second = Source.range(0, 3).broadcast(2)
        run = system.start(
            Graph(first.map(stuck).named("parse").to(Sink.list()), second.to(Sink.count()))
        )
        assert stuck.begun.wait(20)
        run.drain()
        assert repr(run) == "<Run 'run' running>"
        eventually(lambda: "waits for" in repr(run) and "waits for" in caplog.text)
        for text in (repr(run), caplog.text):
            assert f"waits for stage 'parse' ({__file__}:" in text
            assert "in tests.graph.stuck.Stuck.__call__ (" in text
        stuck.release()
        assert run.result(20) == ([0, 1, 2], 3)
        assert repr(run) == "<Run 'run' completed (drained)>"


def test_one_that_waits_for_no_call_names_its_stages():
    asked, answer = threading.Event(), Future[int]()

    def ask(element: int) -> Any:
        asked.set()
        return answer

    with ActorSystem() as system:
        flow = Source.of(1).map_async(ask, 1).named("later")
        run = system.start(flow.to(Sink.list()))
        assert asked.wait(20)
        run.drain()
        eventually(lambda: "waits for" in repr(run))
        assert "waits for stage 'later' (" in repr(run)
        assert repr(run).endswith(") with 1 call under way>")
        answer.set_result(2)
        assert run.result(20) == [2]


def test_stages_of_inner_streams_with_calls_are_named_and_not_those_that_wait_for_them():
    asked, answer = threading.Barrier(3, timeout=20), Future[int]()

    def ask(element: int) -> Any:
        asked.wait()
        return answer

    with ActorSystem() as system:
        flow = Source.of(1, 2).flat_map(
            lambda n: Source.of(n).map_async(ask, 1).named("ask").map(abs), breadth=2
        )
        for _ in range(9):
            flow = flow.map(abs)
        run = system.start(flow.to(Sink.list()))
        asked.wait()
        run.drain()
        eventually(lambda: repr(run).count("with 1 call under way") == 2)
        waits = repr(run).partition("waits for ")[2]
        assert waits.startswith("stage 'ask#")
        assert waits.count("stage '") == 2
        answer.set_result(2)
        assert run.result(20) == [2, 2]


def test_calls_that_wait_to_be_repeated_are_named():
    def fail(element: int) -> int:
        raise OSError("down")

    with ActorSystem() as system:
        flow = Source.of(1, 2).map_async(fail, 2).named("ask")
        run = system.start(flow.retry(Backoff(3600, maximum=3600), max_attempts=9).to(Sink.list()))
        eventually(lambda: run.snapshot().stages[1].details["resting"] == 2)
        run.drain()
        eventually(lambda: "with 2 calls to be repeated" in repr(run))
        run.cancel()


def test_without_a_call_the_stages_that_hold_elements_are_named():
    with ActorSystem() as system:
        flow = Source.range(0, 9).map(abs).throttle(1, per=3600.0).named("slow").map(abs)
        run = system.start(flow.to(Sink.list()))
        eventually(lambda: run.snapshot().stages[2].elements_out == 1)
        run.drain()
        eventually(lambda: "waits for" in repr(run))
        waits = repr(run).partition("waits for ")[2]
        assert waits.startswith("stage 'slow' (")
        assert " with " in waits
        assert waits.count("stage '") == 1
        run.cancel()


def test_a_run_that_is_drained_in_time_says_nothing(caplog):
    caplog.set_level(logging.INFO)
    stuck = Stuck()
    with stuck_system(stuck) as system:
        run = system.start(Source.repeat(1).to(Sink.count()))
        assert run.drain(20)
        assert len(system.timers) <= 3  # one looks whether runs stand still
    assert "waits for" not in caplog.text
