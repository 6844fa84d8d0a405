# mypy: disable-error-code="attr-defined, var-annotated"
"""A ``group_by`` alone, and the streams that it gave."""

from functools import partial

from actors_rs.stages.operators.group_by import GroupBy
from tests.stages.harness import Alone, Downstream


class Stream:
    """A group's stream, as the test holds it."""

    def __init__(self, alone, outlet, claimed, lost):
        self.alone, self.outlet, self.claimed, self.lost = alone, outlet, claimed, lost
        self.down = Downstream()
        outlet.connect(self.down)  # what happens to it before somebody claims it is seen here too
        self.key = None

    elements = property(lambda self: self.down.elements)

    def run(self, demand=100):
        """Somebody runs the stream, and asks."""
        self.alone.turn(self.claimed)
        return self.ask(demand)

    def ask(self, n):
        self.alone.turn(partial(self.outlet.request, n))
        return self

    def drop(self):
        """Nobody has it any more."""
        self.alone.turn(self.lost)
        return self

    def cancel(self):
        self.alone.turn(self.outlet.cancel)
        return self


class Grouping(Alone):
    """A ``group_by`` that sorts by the first letter."""

    name = "by letter"

    def __init__(
        self, most=10, on_overflow="backpressure", idle=None, stall=None, window=16, drops=False
    ):
        self.streams = []
        key = self.key = lambda text: text[0]
        super().__init__(GroupBy(key, most, on_overflow, self._wrap, idle, stall, drops), window)

    def handoff(self, outlet, owner):
        return Stream(self, outlet, partial(owner.claimed, outlet), partial(owner.lost, outlet))

    def stand_still(self):
        """What the run does when nothing moves any more."""
        if (action := self.logic.unblock()) is not None:
            self.turn(action)
        return self

    def _wrap(self, key, stream):
        stream.key = key
        self.streams.append(stream)
        return stream

    def push(self, *elements, inlet=0):
        super().push(*elements, inlet=inlet)
        return self.turn()  # with several groups it lets others go first, once

    @property
    def given(self):
        return [stream.key for stream in self.down.elements]

    def __getitem__(self, number):
        return self.streams[number]
