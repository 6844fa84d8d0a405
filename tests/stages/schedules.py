# mypy: disable-error-code="var-annotated"
"""A junction alone under a random schedule of arrivals, requests, ends and cancellations.

Hypothesis draws the schedule; what is possible at a step depends on what was requested. After each
step the promises of every junction are checked, whatever kind it is.
"""

from dataclasses import dataclass, field

from hypothesis import strategies as st

from tests.stages.harness import Alone

steps = st.lists(st.tuples(st.integers(0, 59), st.integers(1, 9)), max_size=60)
"""Which of the moves that are possible, and of how many elements."""
lists = st.lists(st.integers(-5, 30), max_size=30)
windows = st.sampled_from([1, 2, 3, 16, 1024])


ROUNDS = 200
"""Within so many rounds in which everything that can happen does, every stage has ended."""


class SideError(Exception):
    """What an input fails with."""


@dataclass
class Input:
    """What one inlet will get: elements, then the end."""

    elements: list
    error: Exception | None = None
    given: int = 0
    ended: bool = False


@dataclass
class Played:
    """What came of it: the elements of each outlet, and how each ended."""

    elements: list
    ends: list = field(default_factory=list)


class Schedule(Alone):
    """One logic between ``inputs`` and outlets that ask at random."""

    def __init__(self, logic, inputs, window, cancelling=()):
        self.inputs = inputs
        self.cancelling = set(cancelling)  # outlets that cancel somewhere on the way
        super().__init__(logic, window)
        self.asked = [0 for _ in logic.outlets]
        self.cancelled = set()

    def play(self, steps):
        """Take ``steps``, then all that is left, to the end."""
        for choice, amount in steps:
            moves = self.moves()
            if not moves:
                break
            moves[choice % len(moves)](amount)
            self.check()
        for outlet in self.cancelling - self.cancelled:
            self.leave(outlet)
            self.check()
        for _ in range(ROUNDS):
            for move in self.moves(to_the_end=True):
                move(1000)
                self.check()
            if self.logic.finished and not self.moves(to_the_end=True):
                break
        assert self.logic.finished, "a stage that hangs"
        return Played([down.elements for down in self.downs], [self.end(d) for d in self.downs])

    def moves(self, to_the_end=False):
        """What can happen next; each takes a number of elements."""
        moves = []
        for index, source in enumerate(self.inputs):
            up = self.ups[index]
            if source.ended or (up.cancelled and not to_the_end):
                continue
            if up.cancelled:
                source.ended = True
            elif source.given < min(up.requested, len(source.elements)):
                moves.append(lambda n, i=index: self.arrive(i, n))
            elif source.given == len(source.elements):
                moves.append(lambda _, i=index: self.finish(i))
        for index, down in enumerate(self.downs):
            if not down.ended and index not in self.cancelled:
                moves.append(lambda n, i=index: self.ask(i, n))
                if index in self.cancelling and not to_the_end:
                    moves.append(lambda _, i=index: self.leave(i))
        return moves

    def arrive(self, index, n):
        source = self.inputs[index]
        behind = min(source.given + n, self.ups[index].requested, len(source.elements))
        frame, source.given = source.elements[source.given : behind], behind
        if frame and not self.ups[index].cancelled:
            self.push(*frame, inlet=index)

    def finish(self, index):
        source = self.inputs[index]
        if not source.ended and not self.ups[index].cancelled:
            source.ended = True
            self.fail(source.error, index) if source.error else self.complete(index)

    def ask(self, index, n):
        if not self.downs[index].ended and index not in self.cancelled:
            self.asked[index] += n
            self.request(n, index)

    def leave(self, index):
        self.cancelled.add(index)
        if not self.downs[index].ended:
            self.cancel(index)

    def check(self):
        for down, asked in zip(self.downs, self.asked, strict=True):
            assert len(down.elements) <= asked, "more than was asked for"
        for up, source, inlet in zip(self.ups, self.inputs, self.logic.inlets, strict=True):
            assert up.requested - source.given <= inlet.window, "more requested than the window"

    @staticmethod
    def end(down):
        return "complete" if down.completed else down.error
