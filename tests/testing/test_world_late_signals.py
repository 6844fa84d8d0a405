# mypy: disable-error-code="arg-type, var-annotated"
"""Elements that come after a foreign subscriber has cancelled (2.8), as they do between threads."""

from typing import Any

import pytest

from actors_rs import Flow, Source
from actors_rs.errors import IllegalStateError, ProtocolViolation
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.explore import FreeSubscriber, Plan, check_scenario
from actors_rs.testing.world import World

SEEDS = 300


class Late:
    """Asks for all, cancels when it is told to, and keeps what comes behind that."""

    def __init__(self):
        self.elements, self.late = [], []
        self.subscription, self.cancelled = None, False

    def on_subscribe(self, subscription, /):
        self.subscription = subscription
        subscription.request(100)

    def on_next(self, element, /):
        (self.late if self.cancelled else self.elements).append(element)

    def on_complete(self):
        pass

    def on_error(self, error, /):
        raise AssertionError from error

    def cancel(self):
        subscription: Any = self.subscription
        subscription.cancel()
        self.cancelled = True


def processor(world):
    flow = world.system.processor(Flow().map(str))
    world.system.publisher(Source.range(0, 8)).subscribe(flow)
    return flow


PUBLISHERS = {
    "publisher": lambda world: world.system.publisher(Source.range(0, 8).map(str)),
    "hub": lambda world: Source.range(0, 8).map(str).hub(world.system, replay=4),
    "processor": processor,
}


def by_the_scenario(world, subscriber):
    while len(subscriber.elements) < 2 and world.step(1):
        pass
    subscriber.cancel()


def by_a_step(world, subscriber):
    while subscriber.subscription is None and world.step(1):
        pass
    world.soon("cancel", subscriber.cancel)


def run_of(seed, publisher, cancels):
    world = World(RandomWalk(seed))
    subscriber = Late()
    with world:
        PUBLISHERS[publisher](world).subscribe(subscriber)
        cancels(world, subscriber)
    return world, subscriber


@pytest.mark.parametrize("publisher", PUBLISHERS)
@pytest.mark.parametrize("cancels", [by_the_scenario, by_a_step])
def test_an_element_that_was_under_way_comes_after_the_cancellation_in_some_orders(
    publisher, cancels
):
    late = 0
    for seed in range(SEEDS):
        _, subscriber = run_of(seed, publisher, cancels)
        came = [*subscriber.elements, *subscriber.late]
        assert came == [str(n) for n in range(len(came))]
        assert len(subscriber.late) <= 1
        late += len(subscriber.late)
    assert 0 < late < SEEDS


def test_a_subscriber_that_cannot_stand_that_is_found_by_exploring():
    class Raising(Late):
        def on_next(self, element, /):
            assert not self.cancelled, "an element came after cancel()"
            super().on_next(element)

    def scenario(world):
        subscriber = Raising()
        world.system.publisher(Source.range(0, 8)).subscribe(subscriber)
        by_the_scenario(world, subscriber)

    with pytest.raises(ProtocolViolation, match=r"rule 2\.13(.|\n)*cancel, on_next"):
        check_scenario(scenario, Plan(runs=200))


def test_what_cancels_from_within_its_own_signal_hears_nothing_more():
    class Leaving(Late):
        def on_next(self, element, /):
            super().on_next(element)
            self.cancel()

    for seed in range(SEEDS):
        world, subscriber = World(RandomWalk(seed)), Leaving()
        with world:
            world.system.publisher(Source.range(0, 8)).subscribe(subscriber)
        assert (subscriber.elements, subscriber.late) == ([0], [])


@pytest.mark.parametrize("publisher", PUBLISHERS)
def test_the_same_decisions_make_the_same_run(publisher):
    for seed in range(40):
        runs = [run_of(seed, publisher, by_a_step) for _ in range(2)]
        (first, one), (second, other) = runs
        assert first.digest == second.digest
        assert (one.elements, one.late) == (other.elements, other.late)


def test_who_comes_behind_the_last_cancellation_is_still_refused():
    for seed in range(SEEDS):
        world, first = World(RandomWalk(seed)), Late()
        newcomer = FreeSubscriber(world, cancels=False)
        with world:
            flow = world.system.processor(Flow().map(str))
            flow.subscribe(first)
            world.system.publisher(Source.repeat("x")).subscribe(flow)
            while not first.elements and world.step(1):
                pass
            first.cancel()
            flow.subscribe(newcomer)
        assert isinstance(newcomer.end, IllegalStateError), seed
        assert newcomer.elements == []
