# mypy: disable-error-code="arg-type, attr-defined, assignment, comparison-overlap, var-annotated"
"""Calls that end while a worker process is on its way to them, in the order of the race."""

import pytest

from actors_rs.errors import StreamError
from actors_rs.runtime.processes.calls import Settings
from actors_rs.runtime.processes.pool import ProcessPool

ONE = Settings("double", lambda x: 2 * x, None, 1, False, None, None)


class Worker:
    """One that must not be given a chunk; ``closed`` tells whether it was ended."""

    name, memory, doomed, chunks, calls = "worker", 0, False, 0, 0

    def __init__(self):
        self.closed = False
        self.chunks_run = 0

    def run(self, function, elements):
        self.chunks_run += 1
        raise EOFError

    def close(self, grace):
        self.closed = True
        return True

    def leave(self):
        self.closed = True


class ClosedAfterOneLook:
    """Calls that are closed by another thread right after the pool has looked at them."""

    looks = 0

    @property
    def closed(self):
        self.looks += 1
        return self.looks > 1


def at_once(look):
    assert look(), "it would wait"


def test_calls_that_end_as_a_worker_is_about_to_start_leave_its_place_to_others():
    pool = ProcessPool(Worker)
    calls = pool.calls(ONE)
    pool.take(ClosedAfterOneLook(), 1, None, False)
    pool._changed.wait_for = at_once
    worker = pool.take(calls, 1, None, False)
    assert worker is not None
    assert pool.busy_with(calls) == [worker]


def test_no_call_begins_in_a_worker_that_has_started_after_the_calls_were_closed():
    started = []

    def start():
        assert not calls.close(), "no worker is in a call that could be killed"
        started.append(Worker())
        return started[0]

    pool = ProcessPool(start)
    calls = pool.calls(ONE)
    with pytest.raises(StreamError, match="needs no more results"):
        calls.call([1, 2])
    [worker] = started
    assert worker.chunks_run == 0
    assert pool.busy_with(calls) == []
    others = pool.calls(ONE)
    assert pool.take(others, 1, None, False) is worker, "it is idle, and serves other calls"
