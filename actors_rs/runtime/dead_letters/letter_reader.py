"""The position of one subscriber among the dead letters: a plain state machine.

It holds no letter, so a subscriber that requests nothing costs nothing. Unread letters stay in the
shared buffer, and the oldest of them may be gone when the subscriber requests it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from actors_rs.protocol.demand import check_request, less_demand, more_demand
from actors_rs.texts import repr_of_fields

__all__ = ["DeadLetter", "LetterReader"]


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One undelivered message or unnoticed failure.

    ``what`` is the message or element, ``where`` the actor or stage, ``why`` the reason,
    ``error`` the exception if there is one, ``when`` seconds since the epoch. ``number`` counts
    the letters of a system from 0: a gap tells a subscriber what it was too slow for.
    """

    what: object
    where: str
    why: str
    error: BaseException | None
    when: float
    number: int = 0

    __repr__ = repr_of_fields


class LetterReader:
    """What one subscriber asked for and how far it has read. Only under the lock of the letters.

    ``missed`` is how many letters were gone before it asked for them; ``scheduled`` whether a
    turn that delivers to it is under way, so that its signals are serial (1.3).
    """

    def __init__(self, subscriber: Any, position: int) -> None:
        self.subscriber = subscriber
        self.activity: Any = getattr(subscriber, "activity", None)
        self.scheduled = False
        self.missed = 0
        self._position = position
        self._demand = 0
        self._subscribed = False
        self._error: Exception | None = None

    @property
    def over(self) -> bool:
        """Cancelled, or told the end: no further signal, and nothing keeps it alive (3.13)."""
        return self.subscriber is None

    def ask(self, n: int) -> None:
        """``n`` more were requested; below 1 the stream ends with ``on_error`` (3.9)."""
        try:
            self._demand = more_demand(self._demand, check_request(n, "subscriber of dead letters"))
        except (TypeError, ValueError) as error:
            self._error = error if self._error is None else self._error

    def end(self) -> None:
        """No further signal."""
        self.subscriber = self.activity = None

    def waits(self, completed: bool) -> bool:
        """Whether a new letter, or the end, is of interest and no turn is under way."""
        asks = self._demand > 0 or self._error is not None or completed
        return asks and not self.scheduled and not self.over

    def next_signal(
        self, kept: Sequence[DeadLetter], total: int, completed: bool, subscription: Any
    ) -> Callable[[], None] | None:
        """The call to be made now; ``kept`` are the newest of ``total`` letters."""
        subscriber = self.subscriber
        if subscriber is None:
            return None
        if not self._subscribed:
            self._subscribed = True
            return partial(subscriber.on_subscribe, subscription)
        if self._error is not None:
            self.end()
            return partial(subscriber.on_error, self._error)
        letter = self._read(kept, total) if self._demand else None
        if letter is not None:
            self._demand = less_demand(self._demand, 1)
            return partial(subscriber.on_next, letter)
        if completed and self._has_read_all(kept, total):
            self.end()
            return subscriber.on_complete  # type: ignore[no-any-return]
        return None

    def _read(self, kept: Sequence[DeadLetter], total: int) -> DeadLetter | None:
        """The next letter to send."""
        oldest = total - len(kept)
        self.missed += max(0, oldest - self._position)
        self._position = max(oldest, self._position)
        while self._position < total:
            letter = kept[self._position - oldest]
            self._position += 1
            if _is_sent(letter):
                return letter
        return None

    def _has_read_all(self, kept: Sequence[DeadLetter], total: int) -> bool:
        unread = min(total - self._position, len(kept))
        return not any(_is_sent(kept[-n]) for n in range(1, unread + 1))


def _is_sent(letter: DeadLetter) -> bool:
    """A letter about a letter is only kept and counted: a sink that fails would feed itself."""
    return not isinstance(letter.what, DeadLetter)
