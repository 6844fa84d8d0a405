"""Futures of concurrent.futures as sources, and runs as futures."""

from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, as_completed, wait

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import ArgumentTypeError, StageError
from actors_rs.interop.executors import from_futures, to_future
from tests.graph.helpers import SECONDS, run


def test_results_come_as_the_futures_end_or_in_their_order():
    first: Future[int] = Future()
    second: Future[int] = Future()
    second.set_result(2)
    seen: list[int] = []

    def note(n):
        seen.append(n)
        if n == 2:
            first.set_result(1)

    assert run(from_futures([first, second]).to(Sink.for_each(note))) == 2
    assert seen == [2, 1]
    assert run(from_futures([first, second], ordered=True).to(Sink.list())) == [1, 2]


def test_calls_are_submitted_no_faster_than_their_results_are_taken():
    submitted = 0
    with ThreadPoolExecutor(2) as pool:

        def calls():
            nonlocal submitted
            for n in range(1000):
                submitted += 1
                yield pool.submit(pow, n, 2)

        source = from_futures(calls(), ahead=4).with_attributes(window=4)
        assert sorted(run(source.take(3).to(Sink.list())))[0] >= 0
    assert submitted < 1000


def test_a_future_that_fails_fails_the_stream_and_what_is_none_is_named():
    failed: Future[int] = Future()
    failed.set_exception(ValueError("broken"))
    with pytest.raises(StageError, match="broken"):
        run(from_futures([failed]).to(Sink.list()))
    with pytest.raises(StageError, match=r"expected a concurrent.futures.Future, got 3"):
        run(from_futures([3]).to(Sink.list()))  # type: ignore[arg-type]


def test_runs_are_waited_for_like_futures():
    with ActorSystem() as system:
        runs = [system.start(Source.range(0, n).to(Sink.count())) for n in (3, 5)]
        futures = [to_future(one) for one in runs]
        assert sorted(one.result() for one in as_completed(futures, SECONDS)) == [3, 5]
        broken = to_future(system.start(Source.failed(ValueError("broken")).to(Sink.list())))
        wait([broken], SECONDS)
        assert isinstance(broken.exception(), ValueError)


def test_cancelling_the_future_cancels_the_run():
    with ActorSystem() as system:
        going = system.start(Source.never().to(Sink.list()))
        future = to_future(going)
        assert future.cancel()
        assert going.wait(SECONDS)
        with pytest.raises(CancelledError):
            future.result(0)


def test_what_is_no_run_is_refused():
    with pytest.raises(ArgumentTypeError, match=r"expected the Run of system.start"):
        to_future(3)  # type: ignore[arg-type]
