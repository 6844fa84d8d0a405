"""``Recoveries``: which failures of a run were recovered from, and which came beside them.

A stage ends with one error. Other errors upstream, at that moment or later, reach no stage: they
came beside the error that ended the stage. So when a stage recovers from that error, the others are
no failures of the run either.
"""

from __future__ import annotations

from collections import deque
from weakref import WeakValueDictionary

__all__ = ["Recoveries"]

KEPT = 16
"""Errors that take no weak references, Python's own as they are, of the last recoveries."""


class Recoveries:
    """Compares errors by identity only. The caller holds the lock of the run."""

    def __init__(self) -> None:
        # Weak references: an error counts only while other code, which may still report it, holds
        # it.
        self._errors: WeakValueDictionary[int, BaseException] = WeakValueDictionary()
        self._plain: deque[BaseException] = deque(maxlen=KEPT)
        self._beside: list[tuple[BaseException, BaseException]] = []

    def __contains__(self, error: BaseException) -> bool:
        """Whether ``error`` was recovered from, as far as that is known still."""
        return self._errors.get(id(error)) is error or any(error is one for one in self._plain)

    def add(self, error: BaseException) -> list[BaseException]:
        """``error`` was recovered from; returns all that have come beside it, and beside those."""
        gone = [error]
        for one in gone:  # which grows meanwhile
            self._note(one)
            gone += [other for other, why in self._beside if why is one and other not in self]
        self._beside = [pair for pair in self._beside if pair[1] not in self]
        return gone[1:]

    def beside(self, error: BaseException, why: BaseException) -> bool:
        """``error`` was not heard of because of ``why``; whether it goes with a recovery now."""
        if error in self:
            return False
        if why in self:
            self._note(error)
            return True
        self._beside.append((error, why))
        return False

    def discard(self, error: BaseException) -> None:
        """A stage has failed with ``error`` anew."""
        self._errors.pop(id(error), None)
        self._plain = deque([one for one in self._plain if one is not error], KEPT)

    def _note(self, error: BaseException) -> None:
        try:
            self._errors[id(error)] = error
        except TypeError:
            self._plain.append(error)
