"""Which windows a moment belongs to. All are half-open: the end belongs to the next one."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import Literal, NamedTuple, TypeAlias

from actors_rs.errors import TooManyKeysError

__all__ = ["Closed", "LeftOut", "OnTooMany", "Session", "Sliding", "evicts_oldest"]

OnTooMany: TypeAlias = Literal["fail", "emit_oldest", "drop"]
"""What to do with a key for which there is no room."""
LeftOut: TypeAlias = Literal["late", "dropped"]
"""Why an element is in no window: they are closed, or there is no room for its key."""


def evicts_oldest(on_overflow: OnTooMany, max_keys: int, key: object) -> bool:
    """Whether the oldest value makes room for ``key``; if not, the element of ``key`` is dropped.

    To be asked when ``max_keys`` values are held. ``fail`` raises ``TooManyKeysError``.
    """
    if on_overflow == "fail":
        raise TooManyKeysError(max_keys, key)
    return on_overflow == "emit_oldest"


class Closed(NamedTuple):
    """A window of a key that is over, with what came of its elements; times in seconds."""

    key: object
    start: float
    end: float
    value: object


@dataclass(frozen=True, slots=True)
class Sliding:
    """Windows of ``size`` seconds that begin every ``step``, at ``offset`` and so on.

    With a step as long as the size they are fixed windows: each moment is in one.
    """

    size: float
    step: float
    offset: float = 0.0

    def start(self, number: int) -> float:
        """When window ``number`` begins."""
        return number * self.step + self.offset

    def end(self, number: int) -> float:
        """When it ends; of fixed windows this is exactly where the next one begins."""
        return self.start(number + 1) if self.size == self.step else self.start(number) + self.size

    def numbers(self, moment: float) -> range:
        """The windows that ``moment`` is in, the earliest first."""
        last = floor((moment - self.offset) / self.step)
        while self.start(last) > moment:  # the division was rounded
            last -= 1
        while self.start(last + 1) <= moment:
            last += 1
        first = last
        while self.end(first - 1) > moment:
            first -= 1
        while first <= last and self.end(first) <= moment:  # between windows, if step > size
            first += 1
        return range(first, last + 1)


@dataclass(frozen=True, slots=True)
class Session:
    """Windows of activity: each element lasts ``gap`` seconds, and overlapping windows are one."""

    gap: float
