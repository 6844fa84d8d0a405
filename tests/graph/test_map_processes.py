# mypy: disable-error-code="arg-type, attr-defined, call-overload, func-returns-value"
# mypy: disable-error-code="var-annotated, union-attr"
"""``map_processes`` and ``flat_map_processes``: calls in worker processes."""

import os
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import (
    CallExitError,
    InvalidArgumentError,
    MissingExtraError,
    StageError,
    StreamError,
)
from actors_rs.stages.operators.map_processes import FIRST_WINDOW
from tests.graph.helpers import SECONDS, wait_until
from tests.graph.models import check_operator, quick, trials

LIST = Sink.list()


def result(system, flow, sink=None):
    return system.start(flow.to(sink or Sink.list())).result(SECONDS)


def made_here():
    def pid_of(_):
        return os.getpid()

    return pid_of


pid_of = made_here()
"""Pickled as it is, so that no worker has to import this module."""


@quick
@given(workers=st.integers(1, 2), trial=trials())
def test_map_processes_gives_what_map_gives_in_its_order(shared, workers, trial):
    check_operator(
        shared,
        lambda s: s.map_processes(lambda x: (x, x), workers, chunk=2),
        lambda xs: [(x, x) for x in xs],
        trial,
    )


@quick
@given(workers=st.integers(1, 2), trial=trials())
def test_flat_map_processes_gives_the_elements_of_each_result(shared, workers, trial):
    check_operator(
        shared,
        lambda s: s.flat_map_processes(lambda x: (x for _ in range(x % 3)), workers),
        lambda xs: [x for x in xs for _ in range(x % 3)],
        trial,
    )


def test_calls_are_made_in_other_processes_as_many_as_workers(shared):
    def slowly(_):
        time.sleep(0.02)
        return os.getpid()

    pids = set(result(shared, Source.range(0, 8).map_processes(slowly, 2, chunk=1)))
    assert os.getpid() not in pids
    assert len(pids) == 2


def test_the_stages_of_a_system_share_its_warm_workers():
    with ActorSystem(shutdown_timeout=SECONDS) as own:
        flow = Source.range(0, 200).map_processes(pid_of, 2, chunk=5)
        both = flow.map_processes(lambda pid: (pid, os.getpid()), 2, chunk=5)
        first = {pid for pair in result(own, both) for pid in pair}
        later = set(result(own, flow))
        assert len(first | later) <= 2


def test_unordered_results_come_as_they_are_ready(shared):
    def late(x):
        time.sleep(0.3 if x == 0 else 0.0)
        return x

    got = result(shared, Source.range(0, 20).map_processes(late, 2, ordered=False, chunk=1))
    assert sorted(got) == list(range(20))
    assert got[0] != 0


def test_a_failure_keeps_its_class_element_position_and_remote_traceback(shared):
    def parse(text):
        return int(text)

    flow = Source.of("1", "2", "x", "4").map_processes(parse, 2).named("parse")
    with pytest.raises(
        StageError, match=r"stage 'parse' failed at element 2: ValueError"
    ) as failed:
        result(shared, flow)
    cause = failed.value.__cause__
    assert type(cause) is ValueError
    assert "in parse" in cause.__notes__[0]
    assert "in worker process" in cause.__notes__[0]


def test_what_came_before_a_failure_is_delivered_before_it(shared):
    got = []
    flow = Source.range(0, 100).map_processes(lambda x: 1 / (50 - x) and x, 2, chunk=16)
    with pytest.raises(StageError, match="at element 50: ZeroDivisionError"):
        result(shared, flow, Sink.for_each(got.append))
    assert got == list(range(50))


@pytest.mark.parametrize("policy", ["resume", "restart"])
def test_a_policy_holds_for_each_element(shared, policy):
    flow = Source.range(0, 30).map_processes(lambda x: 10 // (x % 10), 2, chunk=7)
    started = shared.start(flow.on_failure(policy).to(Sink.list()))
    assert started.result(SECONDS) == [10 // n for n in range(1, 10)] * 3
    stage = started.snapshot().stages[1]
    assert (stage.resumed if policy == "resume" else stage.restarted) == 3


def test_a_decider_gets_the_element_and_the_error_of_its_call(shared):
    asked = []

    def decide(error, element):
        asked.append((type(error), element))
        return "resume"

    def f(x):
        if x == 3:
            raise KeyError(x)
        if x == 5:
            raise SystemExit(1)
        return x

    flow = Source.range(0, 8).map_processes(f, 2).on_failure(decider=decide)
    assert result(shared, flow) == [0, 1, 2, 4, 6, 7]
    assert asked == [(KeyError, 3), (CallExitError, 5)]


def test_a_worker_ends_after_its_elements(shared):
    flow = Source.range(0, 40).map_processes(pid_of, 2, max_tasks_per_worker=5)
    assert max(Counter(result(shared, flow)).values()) <= 5


def test_an_initializer_is_called_once_in_each_worker():
    def start():
        import builtins

        builtins.started = getattr(builtins, "started", 0) + 1

    def f(_):
        import builtins

        return os.getpid(), builtins.started

    with ActorSystem(shutdown_timeout=SECONDS) as own:
        flow = Source.range(0, 100).map_processes(f, 2, chunk=5, initializer=start)
        assert {count for _, count in result(own, flow)} == {1}


def test_an_initializer_that_raises_fails_the_stage(shared):
    def start():
        raise OSError("no licence")

    flow = Source.range(0, 10).map_processes(pid_of, 2, initializer=start)
    with pytest.raises(StreamError, match=r"cannot be used in a worker.*: OSError: no licence"):
        result(shared, flow)


class Counted:
    """A function that knows how often it was unpickled in its process."""

    loaded = 0

    def __setstate__(self, state):
        Counted.loaded += 1

    def __getstate__(self):
        return {"f": 1}

    def __call__(self, _):
        return os.getpid(), Counted.loaded


def test_a_function_travels_once_to_a_worker_and_not_with_each_chunk():
    with ActorSystem(shutdown_timeout=SECONDS) as own:
        flow = Source.range(0, 100).map_processes(Counted(), 2, chunk=5)
        assert {count for _, count in result(own, flow)} == {1}


def test_what_cannot_be_pickled_fails_its_element_alone(shared):
    import threading

    lock = threading.Lock()
    failed = []
    flow = Source.of(1, lock, 3, 4).map_processes(lambda x: threading.Lock() if x == 3 else x, 2)
    resumed = flow.on_failure(decider=lambda error, x: failed.append((str(error), x)) or "resume")
    assert result(shared, resumed) == [1, 4]
    assert [x for _, x in failed] == [lock, 3]
    assert "element cannot be pickled" in failed[0][0]
    assert "result cannot be pickled" in failed[1][0]


def test_a_function_that_cannot_be_pickled_is_refused_with_its_name(shared):
    import threading

    lock = threading.Lock()

    def locked(x):
        with lock:
            return x

    with pytest.raises(InvalidArgumentError, match=r"locked.*must be pickled"):
        result(shared, Source.of(1).map_processes(locked, 2))


def test_arrays_come_and_go_as_they_are(shared):
    import numpy as np

    arrays = [np.arange(n, dtype="f8") for n in (10, 500_000, 9_000, 300_000)]
    got = result(shared, Source.of(*arrays).map_processes(lambda a: a * 2, 2))
    for given_, back in zip(arrays, got, strict=True):
        assert np.array_equal(back, given_ * 2)
        back[0] = 1  # it can be written to


def test_large_bytes_and_tables_come_and_go_as_they_are(shared):
    import pyarrow as pa

    blob, table = os.urandom(3 << 20), pa.table({"x": list(range(200_000))})
    got = result(shared, Source.of(("a", blob), table).map_processes(lambda x: x, 2))
    assert got[0] == ("a", blob)
    assert got[1].equals(table)


def test_quick_calls_stay_in_the_process_and_the_snapshot_says_so(shared):
    flow = Source.range(0, 100_000).map(str).map_processes(lambda x: (x, x, x), 1)
    started = shared.start(flow.to(Sink.count()))
    assert started.result(SECONDS) == 100_000
    assert started.snapshot().stages[2].details["in_process"] is True


@pytest.mark.parametrize(
    "options", [{"timeout": 9.0}, {"initializer": dict}, {"max_tasks_per_worker": 10**6}]
)
def test_calls_that_are_to_be_kept_apart_never_stay_in_the_process(shared, options):
    flow = Source.range(0, 30_000).map_processes(pid_of, 1, **options)
    assert os.getpid() not in result(shared, flow)


def test_an_element_that_comes_alone_does_not_wait_for_others(shared):
    got = []
    flow = Source.queue(100).map_processes(lambda x: x + 1, 2)
    started = shared.start(flow.to(Sink.for_each(got.append)))
    for n in range(300):
        started.queue().put(n)
        if n % 100 == 99:
            wait_until(lambda n=n: len(got) == n + 1)
    for n in range(300, 305):
        started.queue().put(n)
        wait_until(lambda n=n: got[-1:] == [n + 1])
    started.cancel()


def test_the_window_is_small_until_calls_are_known_to_be_quick(shared):
    def slow(x):
        time.sleep(0.03)
        return x

    drawn = []
    slow_run = shared.start(
        Source.range(0, 10**6)
        .map(lambda x: drawn.append(x) or x)
        .map_processes(slow, 2)
        .take(6)
        .to(Sink.list())
    )
    assert slow_run.result(SECONDS) == list(range(6))
    assert slow_run.snapshot().stages[2].window == FIRST_WINDOW
    quick_run = shared.start(
        Source.range(0, 100_000)
        .map_processes(lambda x: x, 2, max_tasks_per_worker=10**6)
        .to(Sink.count())
    )
    assert quick_run.result(SECONDS) == 100_000
    assert quick_run.snapshot().stages[1].window > 4096


def test_a_window_that_was_given_stays(shared):
    flow = Source.range(0, 20_000).map_processes(lambda x: x, 2).with_attributes(window=100)
    started = shared.start(flow.to(Sink.count()))
    assert started.result(SECONDS) == 20_000
    assert started.snapshot().stages[1].window == 100


def test_the_snapshot_tells_of_workers_chunks_and_pickling(shared):
    started = shared.start(
        Source.range(0, 2000).map_processes(pid_of, 2, timeout=9).to(Sink.list())
    )
    started.result(SECONDS)
    details = started.snapshot().stages[1].details
    assert 1 <= details["workers"] <= 2
    assert details["workers_memory"] > 5 << 20
    assert details["chunk"] > 1
    assert 0 < details["pickling"] < 1
    assert details["in_process"] is False


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"workers": 0}, "workers must be at least 1"),
        ({"ordered": 1}, "ordered"),
        ({"timeout": 0}, "timeout must be above 0"),
        ({"chunk": "many"}, "chunk, if not 'auto', must be"),
        ({"chunk": 0}, "chunk, if not 'auto', must be at least 1"),
        ({"max_tasks_per_worker": 0}, "max_tasks_per_worker must be at least 1"),
        ({"initializer": 3}, "initializer must be callable"),
    ],
)
@pytest.mark.parametrize("method", ["map_processes", "flat_map_processes"])
def test_arguments_out_of_their_range_are_refused_where_they_are_written(method, options, said):
    with pytest.raises(InvalidArgumentError, match=f"{method}: .*{said}"):
        getattr(Source.of(1), method)(str, **options)


def test_without_cloudpickle_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr("actors_rs.runtime.processes.needs.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'actors-rs\[processes\]'"):
        Source.of(1).map_processes(str)


def test_a_coroutine_function_is_refused():
    async def f(x):
        return x

    with pytest.raises(InvalidArgumentError, match="map_processes: f must be a plain function"):
        Source.of(1).map_processes(f)
