"""Demand: how many elements were requested and not yet delivered.

A counter that saturates at ``UNBOUNDED`` instead of overflowing (rule 3.17). Not thread-safe: a
demand belongs to one end of one link, so to one actor.
"""

from __future__ import annotations

from functools import total_ordering

from actors_rs.errors import DefectError, InvalidArgumentError
from actors_rs.texts import repr_of

__all__ = ["UNBOUNDED", "Demand", "check_request", "less_demand", "more_demand"]

UNBOUNDED = 2**63 - 1
"""A request for this many elements asks for all there are; such demand is never used up."""
LEAST = -(2**63)
"""The least a ``Demand`` can be."""


def check_request(n: object, where: str) -> int:
    """Return ``n`` when it is a legal argument of ``request``.

    Raises ``InvalidArgumentError`` (a ``ValueError``) naming rule 3.9 when ``n`` is below 1 and
    ``TypeError`` when it is no integer. ``where`` names the link in the message.
    """
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"rule 3.9: request(n) needs an int, got {repr_of(n)} ({where})")
    if n < 1:
        raise InvalidArgumentError(f"rule 3.9: request(n) needs n >= 1, got {n} ({where})")
    return n


def more_demand(outstanding: int, n: int) -> int:
    """Demand after ``n`` more elements were requested, saturating at ``UNBOUNDED`` (3.17)."""
    return min(outstanding + n, UNBOUNDED)


def less_demand(outstanding: int, n: int) -> int:
    """Demand after ``n`` elements were delivered; unbounded demand stays unbounded.

    Raises ``DefectError`` when more is delivered than was requested (rule 1.1).
    """
    if outstanding >= UNBOUNDED:
        return outstanding
    if n > outstanding:
        raise DefectError(f"rule 1.1: {n} elements delivered, {outstanding} requested")
    return outstanding - n


@total_ordering
class Demand:
    """A count of elements that saturates: a counter for one's own Publisher, and a number.

    ``outstanding`` is the count it begins with, 0 by default. Unbounded plus or minus anything is
    unbounded. Counts may be negative, down to -2**63; beyond that ``InvalidArgumentError`` is
    raised. Not thread-safe.

    >>> demand = Demand(); demand.add(3); demand.take(2); demand.outstanding
    1
    >>> Demand(5) - 7, Demand(2) + UNBOUNDED, Demand.unbounded() - 1 == UNBOUNDED
    (Demand(-2), Demand(UNBOUNDED), True)
    """

    __slots__ = ("outstanding",)
    __hash__ = None  # type: ignore[assignment]  # it can change

    def __init__(self, outstanding: int = 0) -> None:
        self.outstanding = _within_bounds(_count(outstanding))

    @classmethod
    def unbounded(cls) -> Demand:
        """The demand that is never used up."""
        return cls(UNBOUNDED)

    @property
    def is_unbounded(self) -> bool:
        """Whether it is never used up.

        >>> Demand.unbounded().is_unbounded
        True
        """
        return self.outstanding >= UNBOUNDED

    def __repr__(self) -> str:
        amount = "UNBOUNDED" if self.is_unbounded else str(self.outstanding)
        return f"Demand({amount})"

    def __bool__(self) -> bool:
        return self.outstanding > 0

    def __index__(self) -> int:
        return self.outstanding

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Demand | int) or isinstance(other, bool):
            return NotImplemented
        return self.outstanding == _amount(other)

    def __lt__(self, other: Demand | int) -> bool:
        if not isinstance(other, Demand | int) or isinstance(other, bool):
            return NotImplemented
        return self.outstanding < _amount(other)

    def __add__(self, other: Demand | int) -> Demand:
        return self._changed_by(other, 1)

    def __radd__(self, other: int) -> Demand:
        return self._changed_by(other, 1)

    def __sub__(self, other: Demand | int) -> Demand:
        return self._changed_by(other, -1)

    def __rsub__(self, other: int) -> Demand:
        return Demand(other)._changed_by(self, -1)

    def add(self, n: int) -> None:
        """Register ``n`` more requested elements, saturating at ``UNBOUNDED``.

        Raises ``TypeError`` for what is no int, ``InvalidArgumentError`` for one below 0.
        """
        self.outstanding = more_demand(self.outstanding, _elements("add", n))

    def take(self, n: int) -> None:
        """Register ``n`` delivered elements; raises ``DefectError`` beyond what was requested.

        Raises ``TypeError`` for what is no int, ``InvalidArgumentError`` for one below 0.
        """
        self.outstanding = less_demand(self.outstanding, _elements("take", n))

    def _changed_by(self, other: Demand | int, sign: int) -> Demand:
        if not isinstance(other, Demand | int) or isinstance(other, bool):
            return NotImplemented  # type: ignore[no-any-return]
        amount = _amount(other)
        if self.is_unbounded or amount >= UNBOUNDED:
            return Demand.unbounded()
        return Demand(self.outstanding + sign * amount)


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"a Demand counts in integers, got {repr_of(value)}")
    return value


def _elements(what: str, n: object) -> int:
    if (count := _count(n)) < 0:
        raise InvalidArgumentError(f"Demand.{what} needs a number of elements from 0 on, got {n}")
    return count


def _amount(value: Demand | int) -> int:
    return value.outstanding if isinstance(value, Demand) else min(value, UNBOUNDED)


def _within_bounds(count: int) -> int:
    if count < LEAST:
        raise InvalidArgumentError(f"a Demand is at least -2**63, got {count}")
    return min(count, UNBOUNDED)
