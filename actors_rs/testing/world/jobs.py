"""Jobs that would block a thread, as steps of the world's own thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from actors_rs.raised import as_failure
from actors_rs.runtime._primitives import blocking_allowed
from actors_rs.runtime.processes.calls import CallResults, Settings
from actors_rs.testing.world.dispatcher import DeterministicDispatcher

__all__ = ["BlockingJobs", "WorldProcesses"]


class BlockingJobs:
    """Runs each job as one step, at a time that is decided; fits ``Workers``.

    Other steps run while a job waits for a future or sleeps in virtual time.
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


class WorldProcesses:
    """Each chunk is a step of the world, as any job that may block is."""

    def calls(self, settings: Settings, /) -> WorldCalls:
        return WorldCalls(settings)

    def figures(self) -> dict[str, int]:
        """There is no worker."""
        return {"workers": 0, "workers_died": 0, "workers_memory": 0}

    def close(self, timeout: float, /) -> tuple[str, ...]:
        return ()

    def disown(self) -> None:
        """Nothing is the parent's."""


class WorldCalls:
    """Calls a function for the elements of chunks, in this process."""

    def __init__(self, settings: Settings) -> None:
        self._f: Callable[[Any], Any] = settings.f
        self._listed = settings.listed

    def call(self, elements: Sequence[Any], ahead: bool = False, /) -> CallResults:
        """Call the function for each of ``elements``."""
        results = CallResults(len(elements))
        for at, element in enumerate(elements):
            try:
                value = self._f(element)
                results.values[at] = list(value) if self._listed else value
            except BaseException as error:
                results.failures[at] = as_failure(error)
        results.whole = True  # in no time, so chunks grow
        return results

    def close(self) -> bool:
        """Whether a call is under way: never, where each chunk is one step."""
        return False

    def kill(self) -> None:
        """There is no worker."""

    def figures(self) -> dict[str, int]:
        """There is no worker."""
        return {}
