"""``MemoryBudget``: the bytes that all links of a system may hold together.

A link reserves what its whole window weighs before it requests that window. Near the limit windows
shrink, down to one element, so that sources wait and no link ever stands still.
"""

from __future__ import annotations

import re

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.runtime._primitives import Lock
from actors_rs.texts import repr_of

__all__ = ["MemoryBudget", "Share", "budget_of", "bytes_of"]

_UNITS = {"": 1, "K": 1, "M": 2, "G": 3, "T": 4}
_TEXT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:([KMGT])(i?))?B\s*", re.IGNORECASE)
_EXPECTED = "memory_limit must be an int of bytes or a text such as '512 MiB' or '1.5 GB'"


def bytes_of(limit: int | str) -> int:
    """Bytes that ``limit`` says; ``InvalidArgumentError`` for less than one, or no such text.

    >>> bytes_of("2 GiB"), bytes_of("1.5 GB"), bytes_of(1024)
    (2147483648, 1500000000, 1024)
    """
    if isinstance(limit, bool) or not isinstance(limit, int | str):
        raise ArgumentTypeError(f"{_EXPECTED}, got {repr_of(limit)}")
    size = limit if isinstance(limit, int) else _said(limit)
    if size < 1:
        raise InvalidArgumentError(f"{_EXPECTED}, at least 1 byte, got {repr_of(limit)}")
    return size


def _said(text: str) -> int:
    match = _TEXT.fullmatch(text)
    if match is None:
        raise InvalidArgumentError(
            f"{_EXPECTED}, got {repr_of(text)}: write a number and B, KiB, MiB, GiB, KB, MB or GB"
        )
    number, unit, binary = match.groups()
    if unit is None:
        return int(float(number))
    return int(float(number) * (1024 if binary else 1000) ** _UNITS[unit.upper()])


def budget_of(limit: int | str | None) -> MemoryBudget | None:
    """The budget of a system with that ``memory_limit``."""
    return None if limit is None else MemoryBudget(bytes_of(limit))


class MemoryBudget:
    """Bytes that links share. Any thread."""

    __slots__ = ("limit", "lock", "reserved")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.reserved = 0
        """Bytes of the elements that links hold or have requested, as they were weighed lately."""
        self.lock = Lock()


class Share:
    """The part of ``budget`` that one link has. Any thread."""

    __slots__ = ("_budget", "_reserved")

    def __init__(self, budget: MemoryBudget) -> None:
        self._budget = budget
        self._reserved = 0

    @property
    def limit(self) -> int:
        """Bytes of the whole budget."""
        return self._budget.limit

    def reserve(self, size: int, weight: float, held: int) -> int:
        """How many of ``size`` elements the link may hold, at least one.

        ``held`` elements are there already, or requested. A link gets at most half of what the
        others leave, so that a new link finds room.
        """
        budget = self._budget
        with budget.lock:
            others = budget.reserved - self._reserved
            free = (budget.limit - others) / 2
            size = max(1, min(size, int(free / max(1.0, weight))))
            self._reserved = int(max(size, held) * weight)
            budget.reserved = others + self._reserved
        return size

    def release(self) -> None:
        """The link holds nothing any more."""
        budget = self._budget
        with budget.lock:
            budget.reserved -= self._reserved
            self._reserved = 0
