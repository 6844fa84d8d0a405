"""Jobs that would block a thread, as steps of the world's own thread."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from actors_rs.runtime._primitives import blocking_allowed
from actors_rs.testing.world.dispatcher import DeterministicDispatcher

__all__ = ["BlockingJobs"]


class BlockingJobs:
    """Runs each job as one step, at a time that is decided; fits ``Workers``.

    A job may wait for a future or sleep in virtual time: other steps run meanwhile.
    """

    in_steps = True

    def __init__(self, dispatcher: DeterministicDispatcher) -> None:
        self._dispatcher = dispatcher
        self._numbers = count(1)
        self._closed = False
        self._under_way: list[object] = []  # whose methods they are

    def __len__(self) -> int:
        return 0  # there is no thread but the world's own

    def put_growing(self, job: Callable[[], None], up_to: int, /) -> bool:
        """Let ``job`` be a step; False after ``close``."""
        if self._closed:
            return False

        def run() -> None:
            self._under_way.append(getattr(job, "__self__", None))
            try:
                with blocking_allowed():
                    job()
            finally:
                self._under_way.pop()

        self._dispatcher.submit(f"job-{next(self._numbers)}", run)
        return True

    def thread_of(self, owner: object) -> int | None:
        """The world's thread, if it is in a job of ``owner``, within which others run."""
        return self._dispatcher.thread if any(one is owner for one in self._under_way) else None

    def abandon(self, owner: object) -> bool:
        """False: the world's thread comes back from every job."""
        return False

    def close(self, timeout: float, /) -> tuple[str, ...]:
        """Take no more."""
        self._closed = True
        return ()
