# mypy: disable-error-code="var-annotated, union-attr, attr-defined, arg-type"
"""Free peers: all that the standard leaves to them, and what they say of others that break it."""

import re
from functools import partial
from unittest.mock import Mock

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import ProtocolViolation, Stalled
from actors_rs.testing.explore import FreePublisher, FreeSubscriber, Plan, search

pytestmark = pytest.mark.usefixtures("by_itself")


class Noting(FreeSubscriber):
    """Notes which freedoms it has met."""

    def __init__(self, world, met):
        super().__init__(world)
        self.met, self.asking = met, False

    def on_next(self, element, /):
        self.met.add("behind a cancellation" if self.end else "before one")
        self.met.add("inside of request" if self.asking else "later")
        super().on_next(element)

    def on_complete(self):
        self.met.add("completed behind a cancellation" if self.end else "completed")
        super().on_complete()

    def _ask(self):
        self.asking = True
        super()._ask()
        self.asking = False


def test_free_peers_use_every_freedom():
    used, met = set(), set()

    def scenario(world):
        subscriber = Noting(world, met)
        publisher = FreePublisher(world, range(4))
        publisher.subscribe(subscriber)
        world.settle()
        used.update(choice for choice in world.decisions.made if choice.what.startswith("data:"))
        met.add((subscriber.end, len(subscriber.elements) > 0))
        assert subscriber.elements == list(range(len(subscriber.elements)))

    assert search(scenario, Plan(runs=4_000)).failure is None
    assert {("complete", True), ("cancelled", True), ("cancelled", False)} <= met
    assert {"behind a cancellation", "completed behind a cancellation", "inside of request"} <= met
    for what, options in (("demand", 4), ("how often", 2), ("cancel after the end", 2)):
        assert {c.taken for c in used if c[0] == f"data:{what}"} == set(range(options))
    for what in ("ask now", "subscribe now", "ask behind it"):
        assert len({c.taken for c in used if c[0] == f"data:{what}"}) > 1, what


def test_a_free_subscriber_need_not_wait_for_an_element_to_cancel():
    ended = set()

    def scenario(world):
        subscriber = FreeSubscriber(world)
        world.system.publisher(Source.never()).subscribe(subscriber)
        world.settle()
        ended.add(subscriber.end)
        subscriber.cancel()

    assert search(scenario, Plan(runs=300)).failure is None
    assert ended == {None, "cancelled"}


class Lawless:
    """A Publisher that does as it is told when it is asked for something."""

    def __init__(self, world, answer):
        self.world, self.answer = world, answer

    def subscribe(self, subscriber, /):
        self.subscriber = subscriber
        subscriber.on_subscribe(self)

    def request(self, n, /):
        self.world.soon("answer", partial(self.answer, self.subscriber, n))

    def cancel(self):
        pass


def too_many(subscriber, n):
    for x in range(min(n, 5) + 1):
        subscriber.on_next(x)


def two_ends(subscriber, n):
    subscriber.on_complete()
    subscriber.on_complete()


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (too_many, "1.1"),
        (two_ends, "1.7"),
        (lambda subscriber, n: subscriber.on_next(None), "2.13"),
        (lambda subscriber, n: subscriber.on_error(None), "2.13"),
        (lambda subscriber, n: subscriber.on_subscribe(Mock()), "2.12"),
    ],
)
def test_a_free_subscriber_tells_of_rules_that_its_publisher_breaks(answer, rule):
    def scenario(world):
        Lawless(world, answer).subscribe(FreeSubscriber(world, cancels=False))
        world.settle()

    error = search(scenario, Plan(runs=200)).failure.error
    assert isinstance(error, ProtocolViolation)
    assert error.rule == rule


@pytest.mark.parametrize("n", [0, -4])
def test_a_free_publisher_tells_of_a_request_for_nothing(n):
    class Asking:
        def on_subscribe(self, subscription):
            subscription.request(n)

    def scenario(world):
        FreePublisher(world, range(4)).subscribe(Asking())
        world.settle()

    error = search(scenario, Plan(runs=20)).failure.error
    assert isinstance(error, ProtocolViolation)
    assert error.rule == "3.9"


def test_a_failing_free_publisher_fails_its_subscriber():
    error = OSError("gone")

    def scenario(world):
        subscriber = FreeSubscriber(world, cancels=False)
        FreePublisher(world, (), error).subscribe(subscriber)
        world.settle()
        assert subscriber.end is error or not subscriber._outstanding

    assert search(scenario, Plan(runs=200)).failure is None


# A scenario that does not wait


class RequestsNothing:
    def on_subscribe(self, subscription):
        subscription.request(0)

    def on_next(self, element):
        pass

    def on_error(self, error):
        pass

    def on_complete(self):
        pass


def request_for_nothing(world):
    publisher = FreePublisher(world, [1, 2])
    world.soon("subscribe", lambda: publisher.subscribe(RequestsNothing()))


def ends_twice(world):
    subscriber = FreeSubscriber(world, cancels=False)
    subscriber.on_subscribe(Mock())
    for _ in range(2):
        world.soon("end", subscriber.on_complete)


@pytest.mark.parametrize(("scenario", "rule"), [(request_for_nothing, "3.9"), (ends_twice, "1.7")])
def test_what_breaks_a_rule_when_the_scenario_has_returned_fails_it_too(scenario, rule):
    failure = search(scenario, Plan(runs=200)).failure
    assert isinstance(failure.error, ProtocolViolation)
    assert failure.error.rule == rule


def test_what_was_planned_and_raises_when_the_scenario_has_returned_fails_it_too():
    def scenario(world):
        world.soon("broken", lambda: 1 // 0)

    assert isinstance(search(scenario, Plan(runs=1)).failure.error, ZeroDivisionError)


def test_a_run_that_begins_when_the_scenario_has_returned_comes_to_its_end_too():
    def scenario(world):
        world.soon("begin", lambda: world.start(Source.never().to(Sink.list())))

    assert isinstance(search(scenario, Plan(runs=1)).failure.error, Stalled)


class RaisesAtTheFirstElement(RequestsNothing):
    end = None

    def on_subscribe(self, subscription):
        subscription.request(1)

    def on_next(self, element):
        raise OSError("no")

    def on_complete(self):
        self.end = "complete"


def test_a_stall_names_the_rule_that_was_broken_before():
    def scenario(world):
        subscriber = RaisesAtTheFirstElement()
        world.system.publisher(Source.range(0, 3)).subscribe(subscriber)
        world.until(lambda: subscriber.end is not None, None)

    error = search(scenario, Plan(runs=1)).failure.error
    assert isinstance(error, Stalled)
    assert re.search(r"is due; before that: rule 2\.13: on_next raised .*; who waits", str(error))
    assert isinstance(error.__cause__, ProtocolViolation)
