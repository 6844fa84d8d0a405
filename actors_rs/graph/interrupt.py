"""Ctrl-C as an orderly stop of a run: the first press drains it, the second cancels it.

While a ``StopSignals`` is entered no ``KeyboardInterrupt`` is raised: the handler only counts,
since it may interrupt the main thread anywhere, also while that holds a lock which draining or
cancelling would need. Only from the third press on it raises, for whoever has no patience left.
"""

from __future__ import annotations

import logging
import signal
from types import FrameType, TracebackType
from typing import Any, Self, TypeVar

from actors_rs.errors import RunCancelled
from actors_rs.graph.run import Run

__all__ = ["StopSignals"]

R = TypeVar("R")
logger = logging.getLogger("actors_rs.interrupt")

POLL_SECONDS = 0.1
"""How late a press is noticed at most; the end of a run is noticed at once."""


class StopSignals:
    """While entered, takes SIGINT (Ctrl-C) and SIGTERM. Main thread only: else ``ValueError``.

    Enter it before the ``ActorSystem`` whose runs it is to stop, so that it also covers the
    start and the shutdown. A signal that the process was told to ignore stays ignored.
    ``signal`` is the number of the first one that came, ``received`` how many came.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self.received = 0
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler or signal.SIG_DFL)

    @property
    def exit_code(self) -> int:
        """What a shell expects of a process ended so: 130, 143, or 0 if no signal came."""
        return 0 if self.signal is None else 128 + self.signal

    def result_or_drain(self, run: Run[R], *, grace: float = 2.0) -> R:
        """Wait for ``run``; its result, also when the first signal drained it.

        The second signal cancels it. Raises what ``Run.result`` raises, so ``RunCancelled``
        after that; also when a stage has not ended ``grace`` seconds after cancelling because
        its function does not return.
        """
        if self._ends_before(run, 1):
            return run.result()
        logger.warning("stopping: what is in hand is delivered; once more to stop at once")
        run.drain()
        if self._ends_before(run, 2):
            return run.result()
        logger.warning("cancelling the run")
        run.cancel()
        if not run.wait(grace):
            raise RunCancelled(f"{run!r} was cancelled, but a function in it does not return")
        return run.result()

    def _ends_before(self, run: Run[Any], signals: int) -> bool:
        while self.received < signals:
            if run.wait(POLL_SECONDS):
                return True
        return run.done()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.received += 1
        self.signal = self.signal or number
        if self.received > 2:
            raise KeyboardInterrupt
