# mypy: disable-error-code="arg-type, attr-defined, call-overload, func-returns-value"
# mypy: disable-error-code="var-annotated, union-attr"
"""Worker processes that die, are killed, or are not wanted any more."""

import os
import signal
import time
from collections import Counter

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import (
    CallTimeout,
    StageError,
    WorkerDied,
)
from tests.graph.helpers import SECONDS, alive, wait_until

LIST = Sink.list()


def result(system, flow, sink=None):
    return system.start(flow.to(sink or Sink.list())).result(SECONDS)


def made_here():
    def pid_of(_):
        return os.getpid()

    return pid_of


pid_of = made_here()
"""Pickled as it is, so that no worker has to import this module."""


@pytest.mark.parametrize(
    ("end", "said", "code"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), r"killed by SIGKILL \(9", -9),
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), r"killed by SIGSEGV \(11", -11),
        (lambda: os._exit(7), "ended with exit code 7", 7),
    ],
)
def test_an_element_that_kills_its_worker_fails_alone(shared, end, said, code):
    failed = []

    def f(x):
        if x == 40:
            end()
        return x

    flow = Source.range(0, 100).map_processes(f, 2, chunk=32)
    resumed = flow.on_failure(decider=lambda error, x: failed.append((error, x)) or "resume")
    assert result(shared, resumed) == [x for x in range(100) if x != 40]
    [(error, element)] = failed
    assert isinstance(error, WorkerDied)
    assert element == 40
    assert error.exit_code == code
    with pytest.raises(StageError, match=f"at element 40: WorkerDied: .*{said}"):
        result(shared, flow)


@pytest.mark.parametrize("ordered", [True, False])
def test_workers_that_are_killed_at_random_lose_and_double_nothing(ordered):
    def f(x):
        time.sleep(0.001)
        return x, os.getpid()

    with ActorSystem(shutdown_timeout=SECONDS) as own:
        seen, kills = [], 0

        def keep(pair):
            nonlocal kills
            seen.append(pair[0])
            if len(seen) % 100 == 0 and alive(pair[1]):
                os.kill(pair[1], signal.SIGKILL)
                kills += 1

        flow = Source.range(0, 2000).map_processes(f, 2, ordered, chunk=10)
        started = own.start(flow.to(Sink.for_each(keep)))
        started.result(SECONDS)
        died = started.snapshot().stages[1].details["workers_died"]
    assert died >= kills / 2 > 4
    assert Counter(seen) == Counter(range(2000))
    assert not ordered or seen == list(range(2000))


def test_a_call_that_exceeds_the_timeout_fails_alone_and_its_worker_is_killed(shared):
    failed = []

    def f(x):
        if x == 4:
            time.sleep(3600)
        return x

    flow = Source.range(0, 10).map_processes(f, 2, timeout=0.2, chunk=10)
    resumed = flow.on_failure(decider=lambda error, x: failed.append((error, x)) or "resume")
    assert result(shared, resumed) == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    [(error, element)] = failed
    assert isinstance(error, CallTimeout)
    assert element == 4
    assert "the call for 4 took longer than 0.2 s" in str(error)


def test_the_timeout_is_for_a_call_and_not_for_a_chunk(shared):
    def f(x):
        time.sleep(0.05)
        return x

    flow = Source.range(0, 10).map_processes(f, 1, timeout=0.3, chunk=10)
    assert result(shared, flow) == list(range(10))


def test_a_cancelled_run_kills_workers_that_are_in_a_call_within_the_grace(tmp_path):
    def f(x):
        (tmp_path / str(os.getpid())).touch()
        time.sleep(3600)

    with ActorSystem(shutdown_timeout=SECONDS) as own:
        started = own.start(Source.range(0, 10).map_processes(f, 2).to(Sink.list()))
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
        pids = [int(path.name) for path in tmp_path.iterdir()]
        started.cancel(0.3)
        wait_until(lambda: not any(alive(pid) for pid in pids), 3.0)
        assert own.statistics().abandoned == 0
        assert set(result(own, Source.range(0, 9).map_processes(pid_of, 2))).isdisjoint(pids)


def test_downstream_that_has_enough_frees_the_workers_without_killing_them(shared):
    flow = Source.range(0, 10**6).map_processes(lambda x: x, 2, chunk=50)
    before = result(shared, flow.take(10))
    assert before == list(range(10))
    assert result(shared, Source.range(0, 10).map_processes(lambda x: x, 2)) == list(range(10))
