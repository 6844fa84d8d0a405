"""map_error(f)

    in:  1 2 X
    out: 1 2 f(X)

Fails with f(error) when upstream fails with error; that is the run's failure then.
Back-pressure: passed on.
Completes: when upstream does.
Fails: when upstream does; when f raises, with that, which is among the others of upstream's error.
Cancels: at once; f is not called any more.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from actors_rs.stages.passing import PassThrough
from actors_rs.texts import repr_of

_MARK = "_cause_is_of_map_error"
"""Among the attributes of an error: what caused it was not said by the user."""


class MapError(PassThrough):
    """The same stream with another error, which has the first one as its cause."""

    def __init__(self, f: Callable[[Exception], BaseException]) -> None:
        super().__init__()
        self._f = f

    def upstream_ended(self, error: BaseException | None) -> None:
        if not isinstance(error, Exception) or self.outlet.closed:
            self.end(error)
            return
        other = self._f(error)
        if not isinstance(other, BaseException):
            raise TypeError(f"map_error: f must return an exception, got {repr_of(other)}")
        if other is error:
            self.end(error)
            return
        _name_cause(other, error)
        self.context.recovered(error)
        self.end(self.context.failed(other, plain=True))


def _name_cause(other: BaseException, error: Exception) -> None:
    """Make ``error`` the cause of ``other``, unless ``f`` has set one; safe for any error class.

    If ``f`` returns the same ``other`` in each run, it has the cause of the last one.
    """
    with suppress(BaseException):
        names = vars(other)
        if other.__cause__ is None or _MARK in names:
            BaseException.__setattr__(other, "__cause__", error)  # its own may refuse
            names[_MARK] = True
