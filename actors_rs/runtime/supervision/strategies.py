"""Strategies: which children are restarted when one fails, how often, and what of the message.

Plain values. The supervisor asks ``first_affected`` and does the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias, TypeVar

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.settings import is_finite, is_number, shown
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.texts import repr_of

__all__ = ["MessagePolicy", "OneForAll", "OneForOne", "RestForOne", "Strategy"]

T = TypeVar("T")
MessagePolicy: TypeAlias = Literal["dead_letter", "retry"]


@dataclass(frozen=True, slots=True)
class Strategy:
    """The arguments that all strategies share, see ``OneForOne``; use one of its subclasses."""

    max_restarts: int = 3
    within: float = 5.0
    backoff: Backoff = field(default_factory=Backoff)
    failed_message: MessagePolicy = "dead_letter"

    together: ClassVar[bool] = True
    """Whether children depend on each other: restarted, counted and awaited as one."""

    def __post_init__(self) -> None:
        kind, restarts, within = type(self).__name__, self.max_restarts, self.within
        if isinstance(restarts, bool) or not isinstance(restarts, int) or restarts < 0:
            raise InvalidArgumentError(
                f"{kind}: max_restarts must be a whole number from 0 on, got {repr_of(restarts)}"
            )
        if not is_number(within) or not is_finite(within) or within <= 0:
            raise InvalidArgumentError(
                f"{kind}: within must be a number of seconds above 0, got {shown(within)}"
            )
        if not isinstance(self.backoff, Backoff):
            raise InvalidArgumentError(
                f"{kind}: backoff must be a Backoff, got {repr_of(self.backoff)}"
            )
        if self.failed_message not in ("dead_letter", "retry"):
            raise InvalidArgumentError(
                f"{kind}: failed_message must be 'dead_letter' or 'retry', "
                f"got {repr_of(self.failed_message)}"
            )

    def affected(self, children: Sequence[T], failed: Collection[T]) -> Sequence[T]:
        """The ``children`` that a failure of ``failed`` hits, in the order of their start."""
        places = (self.first_affected(n) for n, one in enumerate(children) if one in failed)
        return children[min(places, default=len(children)) :]

    def first_affected(self, place: int) -> int:
        """Where the children begin, in the order of their start, that a failure at ``place`` hits.

        All from there on are restarted together; asked only if children depend on each other.
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class OneForOne(Strategy):
    """A child that fails is restarted alone; restarts are counted for each child by itself.

    - ``max_restarts`` and ``within``: more than 3 restarts within 5 seconds, the waits of
      ``backoff`` not counted, are too many. The supervisor gives up and fails itself.
    - ``backoff``: the wait before a restart, by default ``Backoff()``.
    - ``failed_message``: with ``"dead_letter"`` (default) the message that failed a child is a dead
      letter; an ``ask`` is answered with the error and, as always, is no failure. With ``"retry"``
      the restarted child receives it again, before all other messages, an ``ask`` too. Do that only
      if no message can fail for ever.

    Raises ``InvalidArgumentError`` for values that cannot work.

    >>> Supervisor(OneForOne(max_restarts=10, within=60)).strategy.max_restarts
    10
    """

    together: ClassVar[bool] = False

    def affected(self, children: Sequence[T], failed: Collection[T]) -> Sequence[T]:
        return [child for child in children if child in failed]


@dataclass(frozen=True, slots=True)
class OneForAll(Strategy):
    """When one child fails, all are stopped in reverse order and started again in order.

    ``max_restarts``, ``within`` (seconds), ``backoff`` and ``failed_message`` are as in
    ``OneForOne``.

    >>> Supervisor(OneForAll()).strategy.max_restarts
    3
    """

    def first_affected(self, place: int) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class RestForOne(Strategy):
    """When a child fails, it and all that were started after it are stopped and started again.

    ``max_restarts``, ``within`` (seconds), ``backoff`` and ``failed_message`` are as in
    ``OneForOne``.

    >>> Supervisor(RestForOne()).strategy.within
    5.0
    """

    def first_affected(self, place: int) -> int:
        return place
