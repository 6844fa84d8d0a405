"""expand(f)

    in:   1 - - - 2 - |
    asks: 1 1 1 1 1 1
    out:  1 1 1 1 2 2 |         (f = itertools.repeat)

Gives the values of f(element) for as long as no newer element has come.
Back-pressure: to upstream, until one value of each element was given; the next inlet downstream has
a window of 1, so each value was computed when it was asked for.
Completes: when upstream has and a value of the last element was given.
Fails: when upstream has and a value of the last element was given, or f or its iterator raises.
Cancels: at once; an iterator with a close() is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from actors_rs.stages.iterators import close, iterator_of
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic

_END = object()


class Expand(StageLogic):
    """The values of the newest element; at least one of each, unless it has none."""

    released_attributes = ("_element",)

    def __init__(self, f: Callable[[Any], Iterable[Any]]) -> None:
        self.inlet, self.outlet = Inlet(), Outlet()
        self.inlets, self.outlets = (self.inlet,), (self.outlet,)
        self._f = f
        self._element: Any = None
        self._values: Iterator[Any] | None = None
        self._fresh = False  # no value of the element has been given yet
        self._added = 0

    def advance(self, budget: Budget) -> None:
        inlet, outlet = self.inlet, self.outlet
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
        if outlet.demand:
            inlet.open()
        while outlet.demand and not budget.spent() and self._turn_to_newest():
            self._give()
            budget.lap()
        if inlet.exhausted:
            self.end(inlet.error)

    def stop(self, error: BaseException | None) -> None:
        self._close()

    def details(self) -> dict[str, Any]:
        return {"added": self._added}

    def renew(self, error: BaseException, position: int | None) -> None:
        self._close()

    def _turn_to_newest(self) -> bool:
        """Take the next element if there is one; whether there is something to draw values from."""
        if self.inlet.buffered:
            self._close()
            self._element = self.inlet.take(1)[0]
            self._fresh = True
            return True
        return self._values is not None and not self.inlet.exhausted

    def _give(self) -> None:
        try:
            if self._values is None:
                self._values = iterator_of(self._f(self._element), "expand: f")
            value = next(self._values, _END)
        except Exception as error:
            self._close()
            self.survives(error, self._element, self.inlet.count - 1)
            return
        if value is _END:
            self._close()
            return
        self.outlet.emit([value])
        self._added += not self._fresh
        self._fresh = False

    def _close(self) -> None:
        values, self._values, self._fresh = self._values, None, False
        close(values)
