# mypy: disable-error-code="union-attr"
"""What the tests of graphs share: waiting for a condition, and a subscriber that keeps book."""

import contextlib
import threading
import time

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import InvalidArgumentError

SECONDS = 30.0
"""After which a test gives a condition up; far more than it ever takes."""


def wait_until(condition, seconds=SECONDS):
    """Wait until ``condition()`` is true; fails the test after ``seconds``."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "the condition was not met in time"
        pause.wait(0.002)


def alive(pid):
    """Whether a process runs: one that has ended and is not waited for yet does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # gone before, or between open and read
        return False


def run(graph, seconds=SECONDS, **options):
    """The graph's result, on a system of its own."""
    with ActorSystem(shutdown_timeout=seconds, **options) as system:
        return system.start(graph).result(seconds)


def leaves_by(kind, graph, beside=None):
    """Run ``graph`` on a system of its own, which that ends by a ``kind("leave")``.

    ``beside`` runs there too, and does not end by itself.
    """
    own = ActorSystem(shutdown_timeout=SECONDS)
    never = own.start(beside or Source.never().to(Sink.list()))
    for going in (own.start(graph), never):
        with pytest.raises(kind, match="leave"):
            going.result(SECONDS)
    with pytest.raises(InvalidArgumentError, match="was shut down"):
        own.start(Source.of(1).to(Sink.list()))
    with pytest.raises(kind, match="leave"), own:
        pass  # raised again where the block ends


def leave_by_an_exception(system):
    """End ``system`` as an exception in its ``with`` block does."""
    with contextlib.suppress(KeyError), system:
        raise KeyError


class Book:
    """A foreign Subscriber that asks for ``first`` and records what comes, and whether it may.

    ``on_element(book, element)`` is called within ``on_next``.
    """

    def __init__(self, first=None, on_element=None):
        self.first = first
        self.on_element = on_element
        self.subscription = None
        self.elements = []
        self.ends = []
        self.requested = 0
        self.faults = []
        self.over = threading.Event()
        self._inside = threading.Lock()

    def request(self, n):
        self.requested += n
        self.subscription.request(n)

    def on_subscribe(self, subscription):
        self.subscription = subscription
        if self.first is not None:
            self.request(self.first)

    def on_next(self, element):
        if not self._inside.acquire(blocking=False):
            self.faults.append("signals overlap")
            return
        try:
            if self.ends:
                self.faults.append("an element behind the end")
            self.elements.append(element)
            if len(self.elements) > self.requested:
                self.faults.append("more than was requested")
            if self.on_element is not None:
                self.on_element(self, element)
        finally:
            self._inside.release()

    def on_error(self, error):
        self._end(error)

    def on_complete(self):
        self._end("complete")

    def _end(self, end):
        if not self._inside.acquire(blocking=False):
            self.faults.append("signals overlap")
        else:
            self._inside.release()
        self.ends.append(end)
        self.over.set()

    def wait(self, seconds=SECONDS):
        assert self.over.wait(seconds), "no end came"
        assert self.faults == []
        assert len(self.ends) == 1
        return self.ends[0]


class Feed:
    """A foreign Publisher driven by the test; its subscription records what is asked."""

    def __init__(self):
        self.requests = []
        self.cancelled = threading.Event()
        self.subscriber = None

    def subscribe(self, subscriber):
        self.subscriber = subscriber
        subscriber.on_subscribe(self)

    def request(self, n):
        self.requests.append(n)

    def cancel(self):
        self.cancelled.set()


def islands(graph):
    """The names of the stages that share an actor, each actor's joined by " + "."""
    planned = graph._planned()
    return [" + ".join(stage.name for stage in stages) for stages in planned.islands]
