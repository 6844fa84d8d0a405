"""What the tests of hubs share."""

from actors_rs import Source
from tests.graph.helpers import wait_until


def watched(count):
    """A source of ``count`` integers, and those that were asked of it so far."""
    drawn = []

    def note(n):
        drawn.append(n)
        return n

    return Source.range(0, count).map(note).with_attributes(window=1), drawn


def subscribe(hub, *books):
    for book in books:
        hub.subscribe(book)
    wait_until(lambda: all(book.subscription or book.ends for book in books))
    return books
