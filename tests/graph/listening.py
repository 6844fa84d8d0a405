# mypy: disable-error-code="union-attr, var-annotated"
"""Subscribers and sources in a deterministic world, as Hypothesis draws them.

There every example is played in one thread and in virtual time: what is drawn is all there is.
"""

from dataclasses import dataclass
from itertools import cycle

from hypothesis import settings
from hypothesis import strategies as st

from actors_rs.errors import ProtocolViolation
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.world import World
from tests.graph.models import demands, quick

many = settings(quick, max_examples=50)
"""For a property in a world, where an example takes some milliseconds."""


@dataclass(frozen=True)
class Patience:
    """How a subscriber asks, and when it has had enough."""

    demand: tuple  # what it asks for, in turn and over again
    inside: bool  # whether it asks from inside on_next
    slow: bool  # whether it asks only when all others have done what they can
    leaves_behind: int | None  # how many elements it takes; it never asks for more


def patient(leaves_behind):
    yes_or_no = st.booleans()
    return st.builds(
        Patience, demand=demands, inside=yes_or_no, slow=yes_or_no, leaves_behind=leaves_behind
    )


staying, leaving = patient(st.none()), patient(st.integers(1, 9))
patience = staying | leaving
seeds = st.integers(0, 2**32)


def world_of(seed, window):
    """A world whose order of steps ``seed`` draws."""
    return World(RandomWalk(seed), window=window)


class Listener:
    """A subscriber in a world, whose test fails on what it has not asked for.

    ``end`` is ``"complete"``, ``"left"`` or the error. What was under way when it left is let be.
    """

    def __init__(self, world, patience):
        self.world, self.patience = world, patience
        self.amounts = cycle(patience.demand)
        self.elements, self.asked, self.end = [], 0, None

    def on_subscribe(self, subscription):
        self.subscription = subscription
        self._ask()

    def on_next(self, element):
        self._keeps("1.7", self.end is None, f"{element!r} came behind the end")
        self.elements.append(element)
        self._keeps("1.1", len(self.elements) <= self.asked, f"{element!r} was not asked for")
        if len(self.elements) == self.patience.leaves_behind:
            self.end = "left"
            self.subscription.cancel()
        elif len(self.elements) == self.asked:
            self._ask_again()

    def on_error(self, error):
        self._over(error)

    def on_complete(self):
        self._over("complete")

    @property
    def stayed(self):
        return self.end != "left"

    def _ask_again(self):
        if self.patience.slow:
            self.world.system.timers.after(1.0, self._ask)
        elif self.patience.inside:
            self._ask()
        else:
            self.world.soon("ask", self._ask)

    def _ask(self):
        if self.end is not None:
            return
        n = next(self.amounts)
        if self.patience.leaves_behind is not None:
            n = min(n, self.patience.leaves_behind - self.asked)
        self.asked += n
        self.subscription.request(n)

    def _over(self, end):
        self._keeps("1.7", self.end is None, f"{end!r} came behind the end")
        self.end = end

    def _keeps(self, rule, kept, otherwise):
        """What is raised from inside a signal is for the stage; this fails the test."""
        if not kept:
            self.world.violations.append(ProtocolViolation(rule, otherwise))


def listeners(world, publisher, patiences):
    """One subscribed to ``publisher`` for each of ``patiences``, before anything happens."""
    subscribed = [Listener(world, one) for one in patiences]
    for one in subscribed:
        publisher.subscribe(one)
    return subscribed
