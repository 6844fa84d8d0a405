"""catch(f)

in:        1 2 x
f(error):        8 9 |
out:       1 2   8 9 |

Goes on with the stream that ``f`` returns for the error that upstream failed with, which is no
failure of the run then. ``f`` is called once: a failure of its stream is one.

Back-pressure: hands on what downstream asks for, to upstream and then to the stream of ``f``.
Completes: when upstream completes, or the stream of ``f`` does.
Fails: when the stream of ``f`` fails or ``f`` raises; the unhandled error is among the run's
  failures then.
Cancels: whichever of the two is running. ``f`` is not called after a cancellation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.stages.inner.logic import InnerInlet, InnerStreamsLogic
from actors_rs.stages.ports import Inlet
from actors_rs.stages.stage import Budget


class Catch(InnerStreamsLogic):
    """Upstream, and the stream of ``f`` where it failed."""

    recovers = True

    def __init__(self, f: Callable[[Exception], Any]) -> None:
        self.inlet = Inlet()
        super().__init__(self.inlet)
        self._f = f
        self._current: Inlet = self.inlet

    def advance(self, budget: Budget) -> None:
        outlet = self.outlet
        self.line.clear()  # it is known whose turn it is
        if outlet.cancelled:
            self.end(outlet.cause)
        while not outlet.closed:
            current = self._current
            if outlet.demand:
                current.open()
            while current.buffered and outlet.demand:
                outlet.emit(current.take(outlet.demand))
            if not current.exhausted:
                return
            self._leave(current.error)

    def _leave(self, error: BaseException | None) -> None:
        """The current stream has ended: go on with another one, or end."""
        if self._current is self.inlet and isinstance(error, Exception):
            self._current = self._in_place_of(error, self._f(error))
        else:
            self.end(error)

    def _in_place_of(self, error: Exception, stream: object, forgiving: bool = False) -> InnerInlet:
        """Begin with ``stream``, which may fail with ``error`` again."""
        self.context.recovered(error)
        try:
            return self.begin(stream, forgiving=forgiving)
        except BaseException:
            self.context.failed(error, plain=True)  # for it was not
            raise
