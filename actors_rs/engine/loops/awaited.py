"""A run that one coroutine waits for: it ends with the coroutine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from actors_rs.errors import RunTimeout

if TYPE_CHECKING:
    from actors_rs.engine.run.run import Run

__all__ = ["awaited"]

R = TypeVar("R")


async def awaited(begin: Callable[[], Run[R]], seconds: float | None) -> R:
    """Begin a run and wait for its result; ``RunTimeout`` after ``seconds``.

    A run that is late, or whose coroutine is cancelled, is cancelled, and its end awaited.
    """
    run = begin()
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await run
    except TimeoutError:
        if seconds is None or run.done() or not limit.expired():
            raise  # the failure of the run
        late = RunTimeout(run.name, seconds, run._scope.waits_for())
        await run.cancelled()
        raise late from None
    except asyncio.CancelledError:
        await run.cancelled()
        raise
    finally:
        if not run.done():  # the coroutine was closed, or cancelled once more
            run.cancel()
