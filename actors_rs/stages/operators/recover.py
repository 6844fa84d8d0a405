"""recover(f)

    in:  1 2 X
    out: 1 2 f(X) |

Gives f(error) as a last element when upstream fails, and completes; the run has not failed then.
The error of a stage is a StageError, whose ``__cause__`` is the exception.
Back-pressure: passed on; the last element, too, is given when it is asked for.
Completes: when upstream does, or after the last element.
Fails: when f raises; if that is the error it was given, the stream fails as if f were not there.
Another error goes downstream; the run raises the error of upstream, with that of f as a note.
Cancels: at once; f is not called any more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.stages.passing import PassThrough


class Recover(PassThrough):
    """Upstream, and an element in place of its failure."""

    recovers = True

    def __init__(self, f: Callable[[Exception], Any]) -> None:
        super().__init__()
        self._f = f
        self._last: list[Any] | None = None

    def upstream_ended(self, error: BaseException | None) -> None:
        if not isinstance(error, Exception) or self.outlet.closed:
            self.end(error)
            return
        if self._last is None and not self._recovered(error):
            return
        if self._last and self.outlet.demand:
            self.outlet.emit([self._last.pop()])
            self.end(None)

    def _recovered(self, error: Exception) -> bool:
        try:
            self._last = [self._f(error)]
        except Exception as raised:
            if raised is error:
                self.end(error)
            else:
                self.fail(raised)
            return False
        self.context.recovered(error)
        return True
