"""Demand: how many elements were requested and not yet delivered.

A counter that saturates at ``UNBOUNDED`` instead of overflowing (rule 3.17). Not thread-safe: a
demand belongs to one end of one link, hence to one actor.
"""

from __future__ import annotations

from actors_rs.errors import DefectError, InvalidArgumentError

__all__ = ["UNBOUNDED", "Demand", "check_request", "less_demand", "more_demand"]

UNBOUNDED = 2**63 - 1
"""A request for this many elements asks for all there are; such demand is never used up."""


def check_request(n: object, where: str) -> int:
    """Return ``n`` when it is a legal argument of ``request``.

    Raises ``InvalidArgumentError`` (a ``ValueError``) naming rule 3.9 when ``n`` is below 1 and
    ``TypeError`` when it is no integer. ``where`` names the link in the message.
    """
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"rule 3.9: request(n) needs an int, got {n!r} ({where})")
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


class Demand:
    """Requested and not yet delivered, as a counter for one's own Publisher.

    >>> demand = Demand(); demand.add(3); demand.take(2); demand.outstanding
    1
    """

    __slots__ = ("outstanding",)

    def __init__(self, outstanding: int = 0) -> None:
        self.outstanding = outstanding

    def __repr__(self) -> str:
        amount = "UNBOUNDED" if self.outstanding >= UNBOUNDED else str(self.outstanding)
        return f"Demand({amount})"

    def __bool__(self) -> bool:
        return self.outstanding > 0

    def add(self, n: int) -> None:
        """Register ``n`` more requested elements, saturating at ``UNBOUNDED``."""
        self.outstanding = more_demand(self.outstanding, n)

    def take(self, n: int) -> None:
        """Register ``n`` delivered elements; raises ``DefectError`` beyond what was requested."""
        self.outstanding = less_demand(self.outstanding, n)
