"""RxPY observables as sources, and streams as observables."""

import sys
import threading

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import ArgumentTypeError, MissingExtraError, StageError
from actors_rs.interop.reactivex import from_rx, to_rx
from tests.graph.helpers import SECONDS, run, wait_until

reactivex = pytest.importorskip("reactivex")
from reactivex import operators  # noqa: E402 - behind the check that it is there
from reactivex.subject import Subject  # noqa: E402


def test_elements_and_the_end_of_an_observable_are_those_of_the_source():
    graph = from_rx(reactivex.of(1, 2, 3)).to(Sink.list())
    assert run(graph) == run(graph) == [1, 2, 3]


def test_an_error_of_an_observable_fails_the_stream():
    with pytest.raises((ValueError, StageError), match="broken"):
        run(from_rx(reactivex.throw(ValueError("broken"))).to(Sink.list()))


def test_an_observable_that_is_too_fast_fails_drops_or_waits():
    fast = reactivex.range(0, 20_000)
    slow = Sink.for_each(lambda n: threading.Event().wait(0.0001))
    with pytest.raises(Exception, match="10"):
        run(from_rx(fast, 10).with_attributes(window=1).to(slow))
    assert run(from_rx(reactivex.range(0, 500), 10, "backpressure").to(Sink.count())) == 500
    assert run(from_rx(fast, 10, "drop_oldest").with_attributes(window=1).to(slow)) < 20_000


def test_the_subscription_is_disposed_of_when_the_run_ends_early():
    subject: Subject[int] = Subject()
    with ActorSystem() as system:
        going = system.start(from_rx(subject).take(1).to(Sink.list()))
        wait_until(lambda: len(subject.observers) == 1)
        subject.on_next(1)
        assert going.result(SECONDS) == [1]
        wait_until(lambda: not subject.observers)


def test_an_observable_of_a_stream_gives_its_elements_and_end():
    with ActorSystem() as system:
        observable = to_rx(Source.range(0, 100).map(str), system)
        assert observable.pipe(operators.to_list()).run() == [str(n) for n in range(100)]
        broken = to_rx(Source.of(1, 0).map(lambda n: 1 // n), system)
        with pytest.raises(StageError, match="ZeroDivisionError"):
            broken.run()


def test_disposing_of_a_subscription_cancels_the_run():
    cancelled = threading.Event()
    with ActorSystem() as system:
        source = Source.unfold_resource(lambda: 1, lambda one: one, lambda one: cancelled.set())
        seen: list[int] = []
        subscription = to_rx(source, system).subscribe(seen.append)
        wait_until(lambda: len(seen) > 3)
        subscription.dispose()
        assert cancelled.wait(SECONDS)


def test_what_is_no_observable_or_no_source_is_refused():
    with pytest.raises(ArgumentTypeError, match="from_rx: expected an Observable, got 3"):
        from_rx(3)
    with (
        ActorSystem() as system,
        pytest.raises(ArgumentTypeError, match="expected a Source"),
    ):
        to_rx(3, system)  # type: ignore[arg-type]


def test_without_reactivex_the_call_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "reactivex", None)
    with ActorSystem() as system, pytest.raises(MissingExtraError, match=r"actors-rs\[rx\]"):
        to_rx(Source.of(1), system)
