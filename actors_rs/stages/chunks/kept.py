"""``Kept``: elements that a stage keeps besides its inlets, under the system's memory limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from actors_rs.stages.chunks.auto_window import MemoryShare
from actors_rs.stages.chunks.weights import lately, weight_of

__all__ = ["Kept"]


class Kept:
    """How many elements a stage may keep; in its turns. Without a ``share``, there is no limit."""

    __slots__ = ("_share", "_weigh", "_weight")

    def __init__(
        self, share: MemoryShare | None = None, weigh: Callable[[Any], float] | None = None
    ) -> None:
        self._share = share
        self._weigh = weigh or weight_of
        self._weight = 0.0  # bytes of an element, as they were lately

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self._share is not None

    def weigh(self, frame: Iterable[Any]) -> None:
        """Elements like the first one of ``frame``, which has one, are kept from now on."""
        if self._share is not None:
            self._weight = lately(self._weight, self._weigh(next(iter(frame))))

    def fitting(self, wanted: int, held: int) -> int:
        """How many of ``wanted`` elements may be kept, at least one; ``held`` are kept already."""
        if self._share is None:
            return wanted
        if not wanted and not held:
            self._share.release()
            return 0
        return self._share.reserve(wanted, self._weight, held)

    def bytes_of(self, held: int) -> int:
        """What ``held`` elements weigh; 0 without a limit, as none is weighed then."""
        return int(held * self._weight)

    def over(self) -> None:
        """Nothing is kept any more."""
        if self._share is not None:
            self._share.release()
