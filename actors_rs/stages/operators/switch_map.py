"""switch_map(f)

in:    a       b     c |
f(a):    1   2 .
f(b):            3   .
f(c):                  4   5 |
out:     1   2   3     4   5 |      (. cancelled: a newer element came)

The elements of the stream that ``f`` returns for the newest element; the one before is cancelled,
with what it gave and nobody took. Of elements that came at the same time only the last is given
to ``f``; the stage counts the others (``passed_over``). So of a source whose elements already exist
only the last one's stream is seen, where Rx starts a stream for each and cancels it at once.

Back-pressure: upstream is never held back; the inner stream is asked for what downstream asks for.
Completes: when upstream and the newest inner stream have completed.
Fails: when upstream has failed and the newest inner stream has completed, when that fails, after
its last element, or when ``f`` raises and the stage's policy is to stop. The failure of a stream
after its cancellation is ignored.
Cancels: upstream and the inner stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from actors_rs.stages.inner.logic import InnerInlet, InnerStreamsLogic
from actors_rs.stages.ports import Inlet
from actors_rs.stages.stage import Budget


class SwitchMap(InnerStreamsLogic):
    """The stream of the newest element."""

    def __init__(self, f: Callable[[Any], Any]) -> None:
        self.inlet = Inlet()
        super().__init__(self.inlet)
        self._f = f
        self._inner: InnerInlet | None = None
        self._newest: tuple[Any, ...] = ()  # the element whose stream is running
        self._passed_over = 0

    def advance(self, budget: Budget) -> None:
        inlet, outlet = self.inlet, self.outlet
        if outlet.cancelled:
            self.end(outlet.cause)
        if outlet.demand:
            inlet.open()
        if inlet.buffered:
            self._switch()
        self.line.clear()
        if (inner := self._inner) is not None:
            inner.in_line = False
            if not self.flow(inner):
                self._inner = None
                if inner.error is None and not inner.cancelled:
                    self._newest = ()
        if inlet.exhausted and self._inner is None:
            self.end(inlet.error)

    def _switch(self) -> None:
        """Start the stream of the newest element in place of the one that runs."""
        self._passed_over += self.inlet.buffered - 1
        newest = self.inlet.gather(self.inlet.buffered)[-1]
        if self._inner is not None:
            self.drop(self._inner)
            self._inner, self._newest = None, ()
        try:
            self._inner = self.begin(self._f(newest), forgiving=True)
            self._inner.open()
        except Exception as error:
            self.survives(error, newest, self.inlet.count - 1)
        else:
            self._newest = (newest,)

    def held(self) -> Iterable[Any]:
        """The element whose stream was cut off, even if some of its results were given."""
        return self._newest if self.outlet.closed else ()

    def details(self) -> dict[str, Any]:
        return {**super().details(), "passed_over": self._passed_over}
