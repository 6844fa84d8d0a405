# mypy: disable-error-code="var-annotated, no-untyped-def"
"""Foreign peers that break a rule each: what they do ends with their own stream."""

import threading
from contextlib import suppress

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.testing.misbehaving import FAILED_PUBLISHERS, PROCESSORS, PUBLISHERS, SUBSCRIBERS
from actors_rs.testing.misbehaving import SUBSCRIPTIONS as PUBLISHERS_TOO
from tests.graph.helpers import SECONDS, Book, wait_until

COUNT = 40
ENDLESS = {
    "AsksForOneOnly",
    "FailsAtFullDemand",
    "FailsSilently",
    "LosesElements",
    "NeverAsks",
    "NeverCompletes",
    "NoOnSubscribe",
    "TwoOnSubscribes",
    "WaitsForDemandToBeUsedUp",
}
"""Violators with whom a run goes on until it is cancelled."""
ALL_PUBLISHERS = (*PUBLISHERS, *PUBLISHERS_TOO)


@pytest.fixture(params=[False, True], ids=["plain", "monitored"])
def system(request):
    """A system with an honest stream, which goes on whatever the others do."""
    gate, book = threading.Event(), Book(first=COUNT)
    with ActorSystem(
        workers=2, window=8, monitor=request.param, shutdown_timeout=SECONDS
    ) as system:
        source = Source.range(0, COUNT).map(lambda n: gate.wait(SECONDS) and n)
        system.publisher(source).subscribe(book)
        yield system
        gate.set()
        assert book.wait() == "complete"
        assert book.elements == list(range(COUNT))
        assert system.is_open


def names(violators):
    return [violator.__name__ for violator in violators]


def end(run, violator):
    """Let it end by itself, or cancel what ``violator`` lets go on for ever: then it must."""
    if violator.__name__ in ENDLESS and not run.wait(0.1):
        run.cancel()
    assert run.wait(SECONDS), "neither its peer nor a cancellation ends it"


@pytest.mark.parametrize("violator", ALL_PUBLISHERS, ids=names(ALL_PUBLISHERS))
def test_a_publisher_that_breaks_a_rule_harms_its_own_run_at_most(system, violator):
    elements, got = list(range(1, COUNT)), []
    flow = Source.from_publisher(violator(elements)).map(lambda n: n)
    run = system.start(flow.to(Sink.for_each(got.append)))
    end(run, violator)
    assert set(got) <= {*elements, None, "one more"}
    assert len(got) <= len(elements) + 1


@pytest.mark.parametrize("violator", FAILED_PUBLISHERS, ids=names(FAILED_PUBLISHERS))
def test_a_publisher_that_fails_against_the_rules_harms_its_own_run_at_most(system, violator):
    run = system.start(Source.from_publisher(violator(error=OSError("no"))).to(Sink.list()))
    end(run, violator)
    assert run.state in ("failed", "cancelled")


@pytest.mark.parametrize("violator", SUBSCRIBERS, ids=names(SUBSCRIBERS))
def test_a_subscriber_that_breaks_a_rule_harms_its_own_stream_at_most(system, violator):
    before = set(system.children())
    with suppress(Exception):  # the standard lets on_subscribe raise into whoever subscribes
        system.publisher(Source.range(1, COUNT).map(lambda n: n)).subscribe(violator())
    for actor in system.children():
        if actor not in before and actor._activity_ is not None:
            end(actor._activity_, violator)
    wait_until(lambda: not set(system.children()) - before)


@pytest.mark.parametrize("violator", PROCESSORS, ids=names(PROCESSORS))
def test_a_processor_that_breaks_a_rule_between_two_of_ours_harms_its_own_run_at_most(
    system, violator
):
    foreign = violator()
    system.publisher(Source.range(1, COUNT)).subscribe(foreign)
    run = system.start(Source.from_publisher(foreign).via(Flow().map(lambda n: n)).to(Sink.list()))
    end(run, violator)
