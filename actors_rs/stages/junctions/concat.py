"""concat(a, b)

a:   1 2 |
b:         3 4 |
out: 1 2   3 4 |        (b is started when a has completed)

One stream after the other; also ``append``, ``prepend`` and ``if_empty``.

Back-pressure: asks the stream whose turn it is for what downstream asks for; a stream that is not
  an input of the stage itself is started when its turn has come.
Completes: when the last stream has completed.
Fails: when the stream whose turn it is fails; those after it are not started.
Cancels: the stream whose turn it is; those after it are not started.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from actors_rs.stages.inner.logic import InnerInlet, InnerStreamsLogic
from actors_rs.stages.ports import Inlet
from actors_rs.stages.stage import Budget


class Concat(InnerStreamsLogic):
    """``streams``, each started in its turn; ``None`` among them is the stage's own input."""

    def __init__(self, streams: Sequence[Any], *, only_if_empty: bool = False) -> None:
        own = [Inlet()] if None in streams else []
        super().__init__(*own)
        self._own = own[0] if own else None
        self._left = deque(streams)
        self._current: Inlet | None = None
        self._only_if_empty = only_if_empty

    def advance(self, budget: Budget) -> None:
        outlet = self.outlet
        self.line.clear()  # it is known whose turn it is
        if outlet.cancelled:
            self.end(outlet.cause)
        while not outlet.closed:
            if self._current is None:
                self._next()
                continue
            current = self._current
            if outlet.demand:
                current.open()
            while current.buffered and outlet.demand:
                outlet.emit(current.take(outlet.demand))
            if not current.exhausted:
                return
            self._leave(current)

    def _next(self) -> None:
        """Begin with the next stream, or complete after the last one."""
        if not self._left or (self._only_if_empty and self.outlet.count):
            self.end(None)
            return
        stream = self._left.popleft()
        if stream is None:
            self._current = self._own
        else:
            self._current = self.begin(stream)

    def _leave(self, current: Inlet) -> None:
        if current.error is not None:
            self.end(current.error)
            return
        self._current = None
        if isinstance(current, InnerInlet):
            self.forget(current)
