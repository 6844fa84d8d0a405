"""What an actor says of its own turns that have blocked a thread of the pool."""

from __future__ import annotations

from contextlib import suppress
from weakref import WeakSet

from actors_rs.runtime._logging import logger_called
from actors_rs.runtime.dispatch.blocked import VERY_SLOW_TURN_SECONDS, Glimpse, Look
from actors_rs.texts import text_of

__all__ = ["SlowTurns"]

_advised: WeakSet[type] = WeakSet()
logger = logger_called("actors_rs.runtime")


class SlowTurns:
    """A part of each actor. What most actors never need has its place in the class."""

    _glimpse_: Glimpse | None = None  # of a turn that lasts
    _has_blocked_ = False  # in an earlier turn

    def _run_turn_(self) -> bool:
        raise NotImplementedError

    def _turn_lasts_(self, look: Look) -> None:
        """Note which function its turn, that lasts, is in. On the thread that looks."""
        if self._glimpse_ is None or not self._glimpse_.is_of(look):
            with suppress(Exception):  # the thread has ended just now
                self._glimpse_ = Glimpse(look, type(self)._run_turn_.__code__, self)

    def _turn_was_slow_(self, seconds: float) -> None:
        """The turn, which is over, took ``seconds``: say which function has blocked, if one has.

        It has done so in two turns, or for long; it is said once for an actor's class.
        """
        glimpse, self._glimpse_ = self._glimpse_, None
        if glimpse is not None and glimpse.shows_blocking(seconds):
            if self._has_blocked_ or seconds > VERY_SLOW_TURN_SECONDS:
                self._advise_(glimpse.function, seconds)
            self._has_blocked_ = True

    def _advise_(self, function: str, seconds: float) -> None:
        if (kind := type(self)) not in _advised:  # there may be thousands of actors of it
            _advised.add(kind)
            logger.warning(
                "%s: %s blocked a pool thread for %.0f ms: set dispatcher = 'pinned'",
                *(text_of(self), function, seconds * 1000),
            )
