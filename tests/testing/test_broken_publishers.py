# mypy: disable-error-code="union-attr, attr-defined"
"""An exploration tells of rules that a user's own Publisher breaks."""

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import ProtocolViolation
from actors_rs.testing.explore import Plan, search

pytestmark = pytest.mark.usefixtures("by_itself")


class Numbers:
    """A Publisher of three numbers in steps of the world, which keeps all rules."""

    def __init__(self, world):
        self.world, self.left, self.demand, self.cancelled = world, [0, 1, 2], 0, False

    def subscribe(self, subscriber):
        self.subscriber = subscriber
        self.world.soon("subscribe", self.begin)

    def begin(self):
        self.subscriber.on_subscribe(self)

    def request(self, n):
        self.demand += n
        self.world.soon("send", self.send)

    def cancel(self):
        self.cancelled = True

    def send(self):
        while self.demand and self.left and not self.cancelled:
            self.demand -= 1
            self.subscriber.on_next(self.left.pop(0))
        if not self.left and self.demand and not self.cancelled:
            self.cancelled = True
            self.subscriber.on_complete()


class SubscribesAgain(Numbers):
    def begin(self):
        super().begin()
        self.subscriber.on_subscribe(Numbers(self.world))


class SendsTooMuchBehindACancellation(Numbers):
    def cancel(self):
        if not self.cancelled:
            self.cancelled = True
            self.world.soon("late", lambda: [self.subscriber.on_next(n) for n in range(9)])


class CompletesTwiceBehindACancellation(Numbers):
    def cancel(self):
        if not self.cancelled:
            self.cancelled = True
            self.world.soon("late", self.subscriber.on_complete)
            self.world.soon("later", self.subscriber.on_complete)


class RaisesWhenCancelled(Numbers):
    def cancel(self):
        raise OSError("no")


class GivesNoSubscription(Numbers):
    def begin(self):
        with pytest.raises(TypeError):
            self.subscriber.on_subscribe(object())


def two_of(source):
    return source.take(2)


def two_whatever_happens(source):
    return source.recover(lambda error: -1).take(2)


@pytest.mark.parametrize("flow", [two_of, two_whatever_happens])
@pytest.mark.parametrize(
    ("publisher", "rule"),
    [
        (Numbers, ""),
        (SubscribesAgain, "2.12"),
        (SendsTooMuchBehindACancellation, "1.1"),
        (CompletesTwiceBehindACancellation, "1.7"),
        (RaisesWhenCancelled, "3.15"),
        (GivesNoSubscription, "2.13"),
    ],
)
def test_an_exploration_fails_with_the_rule_that_a_publisher_breaks(publisher, rule, flow):
    def scenario(world):
        run = world.start(flow(Source.from_publisher(publisher(world))).to(Sink.ignore()))
        run.wait()

    failure = search(scenario, Plan(runs=60, windows=(1,))).failure
    if not rule:
        assert failure is None
        return
    assert isinstance(failure.error, ProtocolViolation)
    assert failure.error.rule == rule
    assert f"'{publisher.__name__}' -> 'from_publisher'" in str(failure.error)


def test_a_publisher_that_is_watched_is_told_of_the_run_that_asks():
    asked = []

    class Asks:
        def subscribe(self, subscriber):
            asked.append(subscriber.activity)
            subscriber.on_subscribe(Numbers(None))
            subscriber.on_complete()

    def scenario(world):
        run = world.start(Source.from_publisher(Asks()).to(Sink.list()))
        assert run.result() == []
        assert asked.pop() in world.system.scopes

    assert search(scenario, Plan(runs=5)).failure is None
