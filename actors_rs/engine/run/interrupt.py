"""Ctrl-C as an orderly stop of one run: the first press drains it, the second cancels it.

For a whole system, on a thread of its own, see ``ActorSystem.handle_signals``; what takes the
signals and counts them is the same.
"""

from __future__ import annotations

import signal
from types import TracebackType
from typing import Any, Self, TypeVar

from actors_rs.engine.run.run import Run
from actors_rs.runtime._logging import logger_called
from actors_rs.runtime.settings import check_grace
from actors_rs.runtime.system.signals import SignalWatch

__all__ = ["StopSignals"]

R = TypeVar("R")
logger = logger_called("actors_rs.interrupt")

POLL_SECONDS = 0.1
"""How late a press is noticed at most; the end of a run is noticed at once."""


class StopSignals(SignalWatch):
    """While entered, takes SIGINT (Ctrl-C) and SIGTERM. Main thread only: else ``ValueError``.

    Enter it before the ``ActorSystem`` whose runs it should stop, so that it also covers the start
    and the shutdown. A signal that the process ignores stays ignored. The third signal raises
    ``KeyboardInterrupt``. ``signal`` is the number of the first one that came, ``received`` how
    many came.

    >>> with StopSignals() as signals, ActorSystem() as system:
    ...     run = system.start(Source.of(2, 3).to(Sink.sum()))
    ...     signals.result_or_drain(run, grace=5)
    5
    """

    def __enter__(self) -> Self:
        self.take()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def result_or_drain(self, run: Run[R], *, grace: float = 2.0) -> R:
        """Wait for ``run``; its result, also when the first signal drained it.

        The second signal cancels it, with that ``grace`` in seconds (2). Raises the same errors as
        ``Run.result``, so ``RunCancelled`` after that, and ``InvalidArgumentError`` for a ``grace``
        below 0.
        """
        check_grace("grace", grace)
        if self._ends_before(run, 1):
            return run.result()
        said = {"run": run.name}
        again = "a second signal cancels it"
        if self.signal == signal.SIGINT:
            again = "press Ctrl-C again to cancel it"
        logger.warning("stopping: the run delivers the elements in flight; %s", again, extra=said)
        run.drain()
        if self._ends_before(run, 2):
            return run.result()
        logger.warning("cancelling the run", extra=said)
        run.cancel(grace)
        return run.result()

    def _ends_before(self, run: Run[Any], signals: int) -> bool:
        while self.received < signals:
            if run.wait(POLL_SECONDS):
                return True
        return run.done()

    def _noted(self) -> None:
        if self.received > 2:
            raise KeyboardInterrupt
