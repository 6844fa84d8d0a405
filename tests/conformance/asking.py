# mypy: disable-error-code="union-attr"
"""A foreign Subscriber that requests inside ``on_next``, again and again (3.3)."""

import threading
import traceback

from actors_rs import ActorSystem, Source

PER_ELEMENT = 100  # requests made inside each ``on_next``


class AsksInside:
    """Requests ``PER_ELEMENT`` times in each ``on_next``; notes how deep the stack is there."""

    def __init__(self):
        self.depths = set()
        self.asked = 0
        self.ended = threading.Event()
        self.subscription = None

    def on_subscribe(self, subscription):
        self.subscription = subscription
        subscription.request(1)

    def on_next(self, element):
        if element % 100 == 0:
            self.depths.add(sum(1 for _ in traceback.walk_stack(None)))
        for _ in range(PER_ELEMENT):
            self.subscription.request(1)
        self.asked += PER_ELEMENT

    def on_error(self, error):
        self.ended.set()

    def on_complete(self):
        self.ended.set()


def ask_inside_on_next(times: int, seconds: float) -> AsksInside:
    """Run a stream whose subscriber requests ``times`` times inside ``on_next``; returns it."""
    subscriber = AsksInside()
    with ActorSystem(workers=2) as system:
        system.publisher(Source.range(0, times // PER_ELEMENT)).subscribe(subscriber)
        assert subscriber.ended.wait(seconds), f"{subscriber.asked} requests in {seconds} seconds"
    return subscriber
