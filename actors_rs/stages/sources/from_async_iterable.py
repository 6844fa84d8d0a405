"""from_iterable(rows())

    a - b - - |    (async def rows(): yields what it awaits)

Draws the elements of an async iterable, such as what an async generator function returns, in one
coroutine on the system's event loop. An async generator can be run once, and is an error when it
has ended; give the function that makes it to run it again and again.

Back-pressure: draws what was asked for and no more.
Completes: when the iterable has ended; when drained, after what was drawn: the ``__anext__`` that
  is pending is cancelled.
Fails: when the iterable raises, after what came before.
Cancels: the ``__anext__`` that is pending, and awaits ``aclose()``, if there is one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.stages.calls.async_elements import AsyncElements, AsyncRest, is_async_only
from actors_rs.stages.load import Load
from actors_rs.stages.sources.from_iterable import IterableSource
from actors_rs.stages.stage import Budget

WHERE = "Source.from_iterable"


class AsyncIterableSource(IterableSource):
    """The elements of what ``make`` returns, which may be an async iterable, or a plain one."""

    def __init__(self, make: Callable[[], Any], where: str = WHERE) -> None:
        super().__init__(make)
        self._where = where
        self._begun = False
        self._async: AsyncElements | None = None  # if it is an async iterable
        self._draws = Load(1)

    def advance(self, budget: Budget) -> None:
        if not self._begun and self.outlet.demand and not self.ended:
            self._begun = True
            self._begin()
        if self._async is None:
            super().advance(budget)
        else:
            began = self.context.now()  # what this turn asks for may come before the turn ends
            self._give(self._async)
            self._draws.now_under_way(self._async.draws, began)

    def _begin(self) -> None:
        try:
            made = self._make()
        except Exception as error:
            self.fail(error, 0)
            return
        if is_async_only(made):
            rest = self._make if isinstance(self._make, AsyncRest) else None
            self._async = AsyncElements(made, self._where, self.context, rest)
            self.load = self._draws
            self._async.start()
        else:
            self._make = lambda: made

    def _give(self, elements: AsyncElements) -> None:
        outlet, all_drawn = self.outlet, elements.ended  # before the look at what was drawn
        outlet.emit(elements.take())
        if outlet.closed or self.ended:
            elements.stop()
        if outlet.closed or not all_drawn:
            elements.grant(outlet.count + outlet.demand)
        elif elements.error is not None:
            self.fail(elements.error, outlet.count)
        else:
            outlet.complete()

    @property
    def finished(self) -> bool:
        """Not before the iterable is closed."""
        return self.outlet.closed and (self._async is None or self._async.released)

    @property
    def waits_outside(self) -> bool:  # type: ignore[override]
        return self._async is not None and self.outlet.closed

    def end(self, error: BaseException | None) -> None:
        if self._async is not None and self.outlet.closed:
            self._async.give_up()  # the grace of the run is over
        super().end(error)

    def stop(self, error: BaseException | None) -> None:
        if self._async is None:
            super().stop(error)
            return
        self._draws.now_under_way(0, self.context.now())
        self._async.stop()
        if self._async.release_error is not None:
            raise self._async.release_error
