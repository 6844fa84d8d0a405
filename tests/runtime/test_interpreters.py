# mypy: disable-error-code="import-not-found, union-attr, attr-defined"
"""``workers="interpreters"``: interpreters of Python 3.14 do what worker processes do."""

import os
import sys

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import InvalidArgumentError, RunCancelled, StageError
from tests.graph.helpers import SECONDS, wait_until

needs_314 = pytest.mark.skipif(
    sys.version_info < (3, 14), reason="Python has interpreters from 3.14 on"
)


def started(system, n, f, **how):
    flow = Source.range(0, n).map_processes(f, "interpreters", **how)
    return system.start(flow.to(Sink.list()))


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python has interpreters")
def test_an_older_python_refuses_them_and_says_what_to_do():
    with pytest.raises(InvalidArgumentError, match=r"needs Python 3.14 .* give a number of"):
        Source.of(1).map_processes(str, "interpreters")


def test_a_timeout_is_refused_since_an_interpreter_cannot_be_killed():
    with pytest.raises(InvalidArgumentError, match=r"expected no timeout .* cannot be killed"):
        Source.of(1).map_processes(str, "interpreters", timeout=1.0)


@needs_314
@pytest.mark.parametrize("ordered", [True, False])
def test_calls_run_in_interpreters_of_this_process(ordered):
    def where(x):
        from concurrent.interpreters import get_current, get_main

        return x, os.getpid(), get_current() == get_main()

    with ActorSystem(shutdown_timeout=SECONDS) as system:
        got = started(system, 100, where, chunk=5, ordered=ordered).result(SECONDS)
        assert sorted(got) == [(x, os.getpid(), False) for x in range(100)]
        assert not ordered or got == sorted(got)
        assert 1 <= system.processes.figures()["workers"] <= (os.cpu_count() or 1)


@needs_314
def test_a_failure_names_the_element_and_has_the_traceback_there():
    def reciprocal(x):
        return 100 / (7 - x)

    with ActorSystem(shutdown_timeout=SECONDS) as system:
        with pytest.raises(StageError, match="failed at element 7: ZeroDivisionError") as failed:
            started(system, 20, reciprocal, chunk=4).result(SECONDS)
        (note,) = failed.value.__cause__.__notes__
        assert note.startswith("in interpreter ")
        assert "in reciprocal" in note


@needs_314
def test_a_policy_holds_for_each_element():
    flow = Source.range(0, 20).map_processes(lambda x: 1 / (7 - x), "interpreters", chunk=4)
    assert len(flow.on_failure("resume").run(Sink.list())) == 19


@needs_314
def test_a_large_result_travels_in_shared_memory():
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        got = started(system, 3, lambda x: bytes([x]) * (3 << 20), chunk=1).result(SECONDS)
        assert got == [bytes([x]) * (3 << 20) for x in range(3)]


@needs_314
def test_a_cancelled_run_ends_while_a_call_goes_on(tmp_path):
    begun, go_on = tmp_path / "begun", tmp_path / "go_on"

    def waits(x):
        import time

        begun.touch()
        while not go_on.exists():
            time.sleep(0.01)

    with ActorSystem(shutdown_timeout=SECONDS, cancel_grace=0.1) as system:
        run = started(system, 4, waits, chunk=1)
        wait_until(begun.exists)
        run.cancel()
        with pytest.raises(RunCancelled):
            run.result(SECONDS)
        go_on.touch()
        wait_until(lambda: not system.processes.interpreters._busy)
