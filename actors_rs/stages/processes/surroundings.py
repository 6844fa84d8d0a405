"""The types of what a ``StageContext`` gives access to, as stages see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

__all__ = ["ChunkResults", "ProcessCalls", "Written"]


class Written(Protocol):
    """Files by their real paths. Any thread."""

    def __contains__(self, path: str, /) -> bool: ...

    def add(self, path: str, /) -> None:
        """A stage makes the file at ``path``."""


class ChunkResults(Protocol):
    """What came of a chunk: a value for each element, ``None`` for those in ``failures``."""

    @property
    def values(self) -> list[Any]:
        """In the order of the elements."""
        ...

    @property
    def failures(self) -> dict[int, Exception]:
        """By the place of the element in the chunk."""
        ...

    @property
    def whole(self) -> bool:
        """Whether it all went well at once, so that the figures hold for the chunk."""
        ...

    @property
    def calling(self) -> float:
        """Seconds in calls."""
        ...

    @property
    def pickling(self) -> float:
        """Seconds in the worker, to unpickle elements and pickle values."""
        ...

    @property
    def packing(self) -> float:
        """The same in this process."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes of elements and values as they travelled."""
        ...


class ProcessCalls(Protocol):
    """Calls one function in worker processes. Any thread."""

    def call(self, elements: Sequence[Any], ahead: bool = False, /) -> ChunkResults:
        """Call the function for each of ``elements``; waits, so it is for a job that may block.

        With ``ahead`` they may be handed to a worker that is not done with others yet.

        Raises ``StreamError`` where no worker can be started, or the function cannot be used there.
        """
        ...

    def close(self) -> None:
        """Nobody wants results any more. Workers that are in a call then are killed in time."""

    def figures(self) -> Mapping[str, int]:
        """Of the workers: how many there are, how many died, their memory in bytes."""
        ...
