"""``Outside``: what will wake a stage from outside its run: timers, jobs, futures."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from actors_rs.stages.stage import Cancellable

if TYPE_CHECKING:
    from actors_rs.runtime.dispatch.resources import TimerService

__all__ = ["NotedJob", "Outside"]


class Outside:
    """The timers, jobs and futures that will wake a stage. Any thread: single steps of a dict."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: dict[object, None] = {}

    def __bool__(self) -> bool:
        return bool(self._open)

    def timer(self, timers: TimerService, seconds: float, ring: Callable[[], None]) -> Cancellable:
        """``timers.after(seconds, ring)``, noted until it has rung or was cancelled."""
        noted = _NotedTimer(self)
        self._open[noted] = None
        noted.timer = timers.after(seconds, self._noting(noted, ring))
        return noted

    def job(self, job: Callable[[], None]) -> NotedJob:
        """``job``, noted until it has run or is given up."""
        return NotedJob(self, job)

    def follow(self, future: Future[Any]) -> None:
        """Note ``future`` until it is done and its earlier callbacks have run."""
        token = object()
        self._open[token] = None
        future.add_done_callback(lambda _: self.over(token))

    def over(self, token: object) -> None:
        """Forget ``token``: it has happened, or will not happen."""
        self._open.pop(token, None)

    def _noting(self, token: object, action: Callable[[], None]) -> Callable[[], None]:
        def act() -> None:
            try:
                action()
            finally:
                self.over(token)

        return act


class NotedJob:
    """A job that will wake a stage."""

    __slots__ = ("_job", "_outside")

    def __init__(self, outside: Outside, job: Callable[[], None]) -> None:
        self._outside = outside
        self._job = job
        outside._open[self] = None

    def __call__(self) -> None:
        try:
            self._job()
        finally:
            self.give_up()

    def give_up(self) -> None:
        """Expect nothing of it any more."""
        self._outside.over(self)


class _NotedTimer:
    __slots__ = ("_outside", "timer")

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self.timer: Cancellable

    def cancel(self) -> None:
        """Stop it; later calls do nothing."""
        self.timer.cancel()
        self._outside.over(self)
