"""Ctrl-C as an orderly stop: the first drains the run, the second cancels it."""

import signal
from types import FrameType, TracebackType
from typing import TypeVar

from actors_rs import Run

POLL_SECONDS = 0.1

Result = TypeVar("Result")


class CtrlC:
    """While entered, counts SIGINT instead of raising KeyboardInterrupt. Main thread only.

    The handler does nothing but count: it may interrupt the main thread anywhere, also while
    that holds a lock which drain() or cancel() would wait for.
    """

    def __init__(self) -> None:
        self.pressed = 0

    def __enter__(self) -> "CtrlC":
        self._before = signal.signal(signal.SIGINT, self._count)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _count(self, number: int, frame: FrameType | None) -> None:
        self.pressed += 1

    def result_of(self, run: Run[Result]) -> Result:
        """The run's result, waiting for it. Raises what `run.result()` raises."""
        obeyed = 0
        while True:
            try:
                return run.result(timeout=POLL_SECONDS)
            except TimeoutError:
                if self.pressed > obeyed:
                    obeyed = self.pressed
                    run.drain() if obeyed == 1 else run.cancel()
