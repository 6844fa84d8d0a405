"""Dead letters: messages that could not be delivered, and failures that nothing could receive.

The newest records are kept, and up to ``capacity`` causes are distinguished; all are counted.
Each cause is logged once per ``LOG_EVERY`` seconds, so a flood of one trouble is one line and a
number. Actors of one class, or in one slot of their supervisor, are one cause, and so is one stage
of all inner streams. A cause that is silent for ``LOG_EVERY`` makes room for another.

Dead letters are also a hot Publisher: a subscriber begins with the oldest kept record and continues
with all later ones. A subscriber that requests too little misses the oldest ones, which are
counted.
"""

from __future__ import annotations

import logging
import re
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from sys import maxsize
from typing import Any

from actors_rs.protocol.checks import check_subscriber
from actors_rs.protocol.interfaces import Subscriber
from actors_rs.runtime._primitives import RLock, monotonic, wall_clock
from actors_rs.runtime.dead_letters.brief import brief
from actors_rs.runtime.dead_letters.failure_log import FailureLog
from actors_rs.runtime.dead_letters.letter_reader import DeadLetter, LetterReader
from actors_rs.runtime.dead_letters.raised_at import forget_frames
from actors_rs.runtime.dispatch.calling_thread import CallingThreadDispatcher
from actors_rs.runtime.dispatch.dispatcher import Turn
from actors_rs.texts import class_name_of

__all__ = ["DeadLetter", "DeadLetterStatistics", "DeadLetters"]

LOG_EVERY = 60.0
"""Seconds between two log lines about the same cause."""
OTHER_CAUSES = ("elsewhere", "further causes")
"""Counts the causes after the first ``capacity``, and the causes that made room."""
_URN = re.compile(r" \(urn:uuid:[0-9a-f-]{36}\)")
MOST_SIGNALS = 100
"""Signals to one subscriber after which the turn gives its thread back."""
logger = logging.getLogger("actors_rs.dead_letters")


@dataclass(frozen=True, slots=True)
class DeadLetterStatistics:
    """The dead letters at one moment.

    ``total`` there were, ``kept`` of them are still held, of ``causes`` different ones.
    ``missed`` is how many deliveries were given up because a subscriber asked too late.
    """

    total: int
    kept: int
    causes: int
    subscribers: int
    missed: int


class DeadLetters:
    """The dead letters of one system. All methods may be called from any thread.

    ``kept`` records are kept, by default ``capacity``. ``schedule`` gives a thread to the signals
    of subscribers. Without it, and once the system has ended, they come on the thread that makes
    them due, such as the one that calls ``request``.
    """

    def __init__(
        self,
        capacity: int = 1000,
        *,
        kept: int | None = None,
        now: Callable[[], float] = monotonic,
        wall_clock: Callable[[], float] = wall_clock,
        schedule: Callable[[Turn], None] | None = None,
    ) -> None:
        # The collector may run a ``__del__`` of the user's in here, which leads to a letter.
        self.counting = RLock()
        """Held while something is counted; for those, too, who count letters of their own."""
        self.failures = FailureLog(now)
        """What actors have failed with, in the log."""
        self._now = now
        self._wall_clock = wall_clock
        self._capacity = capacity
        most = min(capacity if kept is None else kept, maxsize)
        self._kept: deque[DeadLetter] = deque(maxlen=most)
        self._total = 0
        self._schedule = schedule or CallingThreadDispatcher().schedule
        self._readers: list[LetterReader] = []
        self._missed = 0  # by readers that are gone
        self._completed = False
        self._counts: defaultdict[tuple[str, str], int] = defaultdict(int)
        self._last_seen: dict[tuple[str, str], float] = {}  # the last time
        self._logged: dict[tuple[str, str], float] = {}
        self._full_until = float("-inf")  # before, no cause can make room

    def publish(
        self,
        what: object,
        *,
        where: str,
        why: str,
        error: BaseException | None = None,
        place: str | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        """Record one and log it. Never raises and never looks into ``what``.

        Where many come and go in one ``place``, they are one cause by its name, not by ``where``.
        ``fields`` are further ones of the line in the log, such as ``run`` and ``stage``.
        A ``where`` or ``why`` that is no text is recorded as the name of its type.
        The record keeps ``error`` with a note of where it was raised in place of its traceback.
        """
        if self.record(what, where=where, why=why, error=error, place=place):
            try:
                kind = "" if what is None else f" ({_kind_of(what)})"
                self._log(where, f"{why}{kind}", error, fields or {})
            except (
                Exception,
                SystemExit,
            ) as broken:  # a handler of the user's, or a text that raises
                self.record(
                    None, where=where, why="a dead letter could not be logged", error=broken
                )
        if error is not None:
            forget_frames(error)

    def _log(
        self, where: str, text: str, error: BaseException | None, fields: Mapping[str, Any]
    ) -> None:
        """One line and the user's own code at WARNING, the whole chain of exceptions at DEBUG."""
        if error is None:
            logger.warning("%s: %s", where, text, extra={"where": where, **fields})
            return
        extra = {"where": where, "error": error, **fields}
        logger.warning("%s: %s: %s", where, text, brief(error), extra=extra)
        logger.debug("%s: %s, in full:", where, text, exc_info=error, extra=fields)

    def record(
        self,
        what: object,
        *,
        where: str,
        why: str,
        error: BaseException | None = None,
        place: str | None = None,
    ) -> bool:
        """Record one that is logged by the caller; whether it is due to be logged."""
        now, where, why = self._now(), _as_text(where), _as_text(why)
        with self.counting:
            oldest = self._kept[0] if self._kept else None
            cause = self._cause_to_count((place or _URN.sub("", where), why), now)
            self._last_seen[cause] = now
            self._kept.append(DeadLetter(what, where, why, error, self._wall_clock(), self._total))
            self._total += 1
            self._counts[cause] += 1
            logged = self._logged.get(cause)
            due = logged is None or now - logged >= LOG_EVERY
            if due:
                self._logged[cause] = now
            waiting = self._rouse()
        del oldest  # only if pushed out, and last: its parts may have a ``__del__``
        self._schedule_all(waiting)
        return due

    def subscribe(self, subscriber: Subscriber[DeadLetter], /) -> None:
        """Send ``subscriber`` the kept letters and all later ones, until the system has ended.

        Raises ``TypeError`` if it is no Subscriber (1.9). A letter about a letter, from a sink that
        fails on one, is kept and counted like any other but sent to no subscriber. A subscriber
        whose ``activity`` is an activity of the system, such as a run, is part of it: the system
        ends that activity after all others, so that it receives their last letters too.
        """
        check_subscriber(subscriber)
        with self.counting:
            reader = LetterReader(subscriber, self._total - len(self._kept))
            reader.scheduled = True
            self._readers.append(reader)
        self._schedule(partial(self._turn, reader))

    def complete(self) -> None:
        """End the stream: subscribers get the letters they still request, then the completion.

        Letters that are published later are kept and counted. Completed subscribers do not get
        them.
        """
        with self.counting:
            if self._completed:
                return
            self._completed = True
            waiting, schedule = self._rouse(), self._schedule
            self._schedule = CallingThreadDispatcher().schedule  # for late requests
        self._schedule_all(waiting, schedule)

    def disown(self) -> None:
        """In a forked child: they go on in the parent and are complete here. Takes no old lock."""
        self.counting = RLock()
        self._readers, self._completed = [], True  # those there were are the parent's
        self._schedule = CallingThreadDispatcher().schedule

    @property
    def total(self) -> int:
        """How many there were, also those no longer kept."""
        with self.counting:
            return self._total

    def counts(self) -> dict[tuple[str, str], int]:
        """How many there were per cause, a pair of where and why.

        Without the urns of actors and the numbers of inner streams.
        """
        with self.counting:
            return dict(self._counts)

    def recent(self) -> tuple[DeadLetter, ...]:
        """The newest records, oldest first."""
        with self.counting:
            return tuple(self._kept)

    def statistics(self) -> DeadLetterStatistics:
        """A snapshot."""
        with self.counting:
            missed = self._missed + sum(reader.missed for reader in self._readers)
            return DeadLetterStatistics(
                self._total, len(self._kept), len(self._counts), len(self._readers), missed
            )

    def observers(self) -> tuple[Any, ...]:
        """The activities that subscribers are part of."""
        with self.counting:
            return tuple(r.activity for r in self._readers if r.activity is not None)

    def _cause_to_count(self, cause: tuple[str, str], now: float) -> tuple[str, str]:
        if cause in self._counts or self._has_room():
            return cause
        if now >= self._full_until:
            self._merge_silent_causes(now)
        return cause if self._has_room() else OTHER_CAUSES

    def _has_room(self) -> bool:
        return len(self._counts) - (OTHER_CAUSES in self._counts) < self._capacity

    def _merge_silent_causes(self, now: float) -> None:
        """Merge causes that were silent for as long as one is not logged again.

        It iterates over copies: the garbage collector may record a letter in the meantime.
        """
        recent = _within_log_every(self._last_seen, now)
        self._last_seen, self._logged = recent, _within_log_every(self._logged, now)
        self._full_until = min(recent.copy().values(), default=now) + LOG_EVERY
        for cause in self._counts.copy().keys() - recent.keys() - {OTHER_CAUSES}:
            count = self._counts.pop(cause, 0)
            self._counts[OTHER_CAUSES] += count

    def _rouse(self) -> list[LetterReader]:
        """The readers that get a turn now, as there are letters for them."""
        waiting = [reader for reader in self._readers if reader.waits(self._completed)]
        for reader in waiting:
            reader.scheduled = True
        return waiting

    def _schedule_all(
        self, readers: list[LetterReader], schedule: Callable[[Turn], None] | None = None
    ) -> None:
        for reader in readers:
            (schedule or self._schedule)(partial(self._turn, reader))

    def _turn(self, reader: LetterReader) -> None:
        """Give ``reader`` its signals, one after the other (1.3)."""
        for _ in range(MOST_SIGNALS):
            signal = self._next_signal(reader)
            if signal is None:
                return
            try:
                signal()
            except BaseException as error:  # any exception ends this stream and nothing else
                self._cancel(reader)
                why = "rule 2.13: a subscriber raised"
                self.publish(None, where="dead letters", why=why, error=error)
        self._schedule(partial(self._turn, reader))

    def _next_signal(self, reader: LetterReader) -> Callable[[], None] | None:
        with self.counting:
            subscription = _Subscription(self, reader)
            signal = reader.next_signal(self._kept, self._total, self._completed, subscription)
            reader.scheduled = signal is not None
            self._forget_if_over(reader)
            return signal

    def _ask(self, reader: LetterReader, n: int) -> None:
        with self.counting:
            reader.ask(n)
            waiting = self._rouse()
        self._schedule_all(waiting)

    def _cancel(self, reader: LetterReader) -> None:
        subscriber = reader.subscriber
        with self.counting:
            reader.end()
            self._forget_if_over(reader)
        del subscriber  # not under the lock either

    def _forget_if_over(self, reader: LetterReader) -> None:
        if reader.over and reader in self._readers:
            self._readers.remove(reader)
            self._missed += reader.missed


def _as_text(given: object) -> str:
    return given if isinstance(given, str) else f"no text but {_kind_of(given)}"


def _kind_of(thing: object) -> str:
    return "None" if thing is None else f"a {class_name_of(thing)}"


def _within_log_every(times: dict[tuple[str, str], float], now: float) -> dict[Any, float]:
    return {cause: at for cause, at in times.copy().items() if now - at < LOG_EVERY}


class _Subscription:
    """The Subscription of a reader of the dead letters. Any thread may call its methods."""

    __slots__ = ("_letters", "_reader")

    def __init__(self, letters: DeadLetters, reader: LetterReader) -> None:
        self._letters = letters
        self._reader = reader

    def request(self, n: int, /) -> None:
        """Ask for ``n`` more letters; below 1 the stream ends with ``on_error`` (3.9)."""
        self._letters._ask(self._reader, n)

    def cancel(self) -> None:
        """Ask for no more (3.5 to 3.7)."""
        self._letters._cancel(self._reader)
