"""from_future(pool.submit(fetch))

-----result |

Gives the result of a future, or of what a function returns when an element is asked for.

Back-pressure: waits for the result once an element is asked for.
Completes: after the result.
Fails: when the future failed or was cancelled, or the function raises.
Cancels: cancels a future of its own, not one that was given.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any
from weakref import ref

from actors_rs.stages.source import SourceLogic
from actors_rs.stages.stage import Budget
from actors_rs.texts import repr_of


class FutureSource(SourceLogic):
    """One element: the result of ``make()``, a ``concurrent.futures.Future`` or a coroutine.

    ``own``: the future was made for this run, and is cancelled when the stage stops.
    """

    def __init__(self, make: Callable[[], Any], own: bool) -> None:
        super().__init__()
        self._make = make
        self._own = own
        self._begun = False
        self._future: Any = None
        self._done = False

    def advance(self, budget: Budget) -> None:
        outlet = self.outlet
        if outlet.demand and not self._begun and not self.ended:
            self._begun = True
            self._begin()
        if self._done and outlet.demand:
            error = self._future.exception()
            if error is not None:
                self.fail(error)
                return
            outlet.emit([self._future.result()])
            self.ended = True
        if self.ended:
            outlet.complete()

    def stop(self, error: BaseException | None) -> None:
        if self._own and self._future is not None:
            self._future.cancel()

    def _begin(self) -> None:
        made = self._make()
        if inspect.iscoroutine(made):
            self.context.run_coroutine(made, self._follow)
        elif isinstance(made, Future):
            self._follow(made)
        else:
            raise TypeError(
                f"from_future needs a concurrent.futures.Future or a coroutine, got "
                f"{repr_of(made)}; of one for a loop of asyncio, "
                "asyncio.run_coroutine_threadsafe gives a Future"
            )

    def _follow(self, future: Future[Any]) -> None:
        """Called once with the future; on any thread."""
        self._future = future
        future.add_done_callback(partial(_tell, ref(self)))


def _tell(waiting: ref[FutureSource], _: object) -> None:
    """The future is done; on any thread. It may be given to any number of runs: it keeps none
    alive that ended before it."""
    source = waiting()
    if source is not None:
        source.context.post(partial(setattr, source, "_done", True))
