"""``RateLimit``: so many elements in so much time, for one stream or for many together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.runtime._primitives import RLock
from actors_rs.runtime.fork import renew_in_child
from actors_rs.runtime.rate.listeners import Listener, Listeners
from actors_rs.runtime.rate.token_bucket import TokenBucket
from actors_rs.runtime.settings import is_finite, is_number, shown
from actors_rs.texts import repr_of

__all__ = ["RateLimit", "Ticket"]

BURST_SECONDS = 0.03
"""A default burst is the amount of this many seconds. Timers and turns may be that late, and
without the burst a rate of many thousands a second could not be reached."""
OTHER_CLOCK = 1.0
"""A time that is this many seconds before the last look is from the clock of another system."""
DUE = 1e-9  # seconds: a shorter wait is rounding


class Ticket:
    """A place in the queue of a limit: the cost that was reserved up to it, its own included."""

    __slots__ = ("cost", "position")

    def __init__(self, position: float, cost: float) -> None:
        self.position = position
        self.cost = cost


class RateLimit:
    """``n`` elements every ``per`` seconds, or elements that cost ``n`` together.

    ``burst`` may pass at once after a pause; by default as many as the rate lets through in 30 ms,
    and at least 1. The limit begins full. In any time t no more than ``burst + t * n / per``
    passes. An element that costs more than the burst passes when its cost has come in; then its
    cost counts in place of ``burst``. A turn that is later than the burst makes up for loses the
    difference: a small burst is never exceeded, and costs some of a high rate.

    Streams that share it are served in the order of asking. A stream that does not come when it is
    its turn yields to others whose turn it is as well, and no more than the burst gathers
    until it comes. Thread-safe; ``change`` takes effect at once, also for waiting streams. It
    belongs to the streams of one system, whose clock it uses. A system whose clock is more than a
    second earlier, such as a deterministic world, begins with a full limit, once no stream is in
    line.

    >>> limit = RateLimit(100, per=60.0, burst=10)
    >>> limit.n, limit.per, limit.waiting
    (100.0, 60.0, 0)
    >>> limit.change(50)
    >>> Source.of("a", "b").throttle(limit).run(Sink.list())
    ['a', 'b']
    """

    def __init__(self, n: float, per: float = 1.0, burst: float | None = None) -> None:
        self._n, self._per, self._burst = _checked(n, per, burst)
        self._renew()
        renew_in_child(self)

    def __repr__(self) -> str:
        return f"RateLimit({self._n:g}, per={self._per:g}, burst={self._capacity():g})"

    @property
    def n(self) -> float:
        """How many elements may pass every ``per`` seconds."""
        return self._n

    @property
    def per(self) -> float:
        """The seconds in which ``n`` elements may pass."""
        return self._per

    def change(
        self, n: float | None = None, *, per: float | None = None, burst: float | None = None
    ) -> None:
        """Another rate from now on; ``None`` leaves a number as it is. Any thread.

        ``n``, ``per`` (seconds) and ``burst`` are as for the class. Raises ``InvalidArgumentError``
        or ``TypeError`` and changes nothing if a number is wrong.
        """
        checked = _checked(
            self._n if n is None else n,
            self._per if per is None else per,
            self._burst if burst is None else burst,
        )
        with self._lock:
            if n is not None:
                self._n = checked[0]
            if per is not None:
                self._per = checked[1]
            if burst is not None:
                self._burst = checked[2]
            self._changed = True  # the next call that knows the time changes the bucket
        self._listeners.wake()

    def _renew(self) -> None:
        """In a forked child, which has a limit of its own: it is full, and nobody is in line."""
        self._lock = RLock()  # the collector may run a ``__del__`` in here that changes it
        self._listeners = Listeners()
        self._bucket: TokenBucket | None = None  # made by the first call that gives the time
        self._reserved = 0.0  # all that was ever reserved
        self._line: list[Ticket] = []  # tickets that have not passed yet
        self._in_line = 0.0  # the sum of their costs
        # What could pass at once if nobody had reserved it. With nobody in line it is the same.
        self._there: TokenBucket | None = None
        self._changed = False
        self._signalled = False  # whether listeners were called since a stage looked

    # What follows is for stages. ``now`` is their system's monotonic time.

    def take(self, most: int, now: float, /) -> int:
        """How many elements of cost 1, up to ``most``, may pass now; they count as passed."""
        with self._lock:
            bucket = self._at(now)
            count = max(0, min(most, math.floor(bucket.level)))
            self._bucket = bucket.less(count)
            if count:
                self._has_passed(count)
            return count

    def level(self, now: float, /) -> float:
        """What may pass now, as a cost; below 0 if others are in line, and soon perhaps less."""
        with self._lock:
            self._bucket = bucket = self._at(now)
            return bucket.level

    def take_costs(self, costs: Sequence[float], now: float, /) -> int:
        """How many elements that cost so much, the first ones, may pass now; they have passed."""
        with self._lock:
            bucket = self._at(now)
            count, total = 0, 0.0
            for cost in costs:
                if total + cost > bucket.level:
                    break
                total += cost
                count += 1
            self._bucket = bucket.less(total)
            if total:
                self._has_passed(total)
            return count

    def reserve(self, cost: float, now: float, /) -> Ticket:
        """Queue for ``cost``, after all earlier tickets."""
        with self._lock:
            bucket = self._at(now)
            there = self._there or bucket
            self._there = there.changed(there.rate, max(there.capacity, cost))
            self._bucket = bucket.less(cost)
            self._reserved += cost
            self._in_line += cost
            ticket = Ticket(self._reserved, cost)
            self._line.append(ticket)
            return ticket

    def wait(self, ticket: Ticket, now: float, /) -> float:
        """Seconds until the ticket's turn at the present rate; at 0.0 it has come, and is used."""
        with self._lock:
            self._bucket = bucket = self._at(now)
            # The holder does not wait for tickets that were reserved after its own.
            missing = ticket.position - self._reserved - bucket.level
            wait = missing / bucket.rate
            if wait > DUE:
                return wait
            place = self._line.index(ticket)
            for late in self._line[:place]:
                late.position += ticket.cost  # what this one takes they have to wait for
            self._leave(place, ticket.cost)
            return 0.0

    @property
    def waiting(self) -> int:
        """How many stand in line."""
        return len(self._line)

    def give_back(self, ticket: Ticket, /) -> None:
        """Leave the queue: later tickets move up. Earlier ones do not, for nothing was gained."""
        with self._lock:
            place = self._line.index(ticket)
            for later in self._line[place + 1 :]:
                later.position -= ticket.cost
            self._reserved -= ticket.cost
            if self._bucket is not None:
                self._bucket = self._bucket.less(-ticket.cost)
            self._leave(place, 0.0)
            signalled, self._signalled = self._signalled, True
        if not signalled:  # else all are about to look: thousands may leave at once
            self._listeners.wake()

    def watch(self, stage: Listener, /) -> None:
        """Wake ``stage`` whenever the rate changes; it is held weakly."""
        self._listeners.add(stage)

    def unwatch(self, stage: Listener, /) -> None:
        """No more of that."""
        self._listeners.remove(stage)

    def _at(self, now: float) -> TokenBucket:
        changed, self._changed = self._changed, False  # before a look at what it is now
        self._signalled = False
        rate, capacity = self._n / self._per, self._capacity()
        if self._bucket is None:
            return TokenBucket.full(rate, capacity, now)
        if self._bucket.at - now > OTHER_CLOCK and not self._line:
            return TokenBucket.full(rate, capacity, now)  # where nobody has used it yet
        bucket = self._bucket.at_time(now)
        if self._there is not None:
            self._there = self._there.at_time(now)
            if changed:
                self._there = self._there.changed(rate, self._most_there(capacity))
        return bucket.changed(rate, capacity) if changed else bucket

    def _has_passed(self, tokens: float) -> None:
        """Count ``tokens`` as passed: 0 when a ticket left the queue without a pass.

        Tickets in the queue count on the present tokens and on all that will come in. If tokens
        were lost because a late ticket left no room for more, all tickets wait for the difference
        now.
        """
        if self._there is None or self._bucket is None:
            return
        self._there = self._there.less(tokens)
        if (beyond := self._bucket.level - (self._there.level - self._in_line)) > DUE:
            self._bucket = self._bucket.less(beyond)

    def _leave(self, place: int, passed: float) -> None:
        """The ticket at ``place`` leaves the line, and so much has passed with it."""
        cost = self._line.pop(place).cost
        self._in_line = self._in_line - cost if self._line else 0.0
        self._has_passed(passed)
        if not self._line:
            self._there = None
        elif self._there is not None and cost > self._capacity():
            most = self._most_there(self._capacity())
            self._there = self._there.changed(self._there.rate, most)

    def _most_there(self, capacity: float) -> float:
        """The most that may gather: the burst, or the highest cost, since that passes at once."""
        return max(capacity, *[ticket.cost for ticket in self._line])

    def _capacity(self) -> float:
        if self._burst is not None:
            return self._burst
        return max(1.0, self._n / self._per * BURST_SECONDS)


def _checked(n: Any, per: Any, burst: Any) -> tuple[float, float, float | None]:
    for value, what in ((n, "n"), (per, "per"), (burst, "burst")):
        if value is None and what == "burst":
            continue
        if not is_number(value):
            raise ArgumentTypeError(f"RateLimit: {what} must be a number, got {repr_of(value)}")
        if not value > 0 or not is_finite(value):
            raise InvalidArgumentError(
                f"RateLimit: {what} must be above 0 and finite, got {shown(value)}"
            )
    if not 0 < float(n) / float(per) < math.inf:
        raise InvalidArgumentError(
            f"RateLimit: n / per must be above 0 and finite, got {shown(n)} / {shown(per)}"
        )
    return float(n), float(per), None if burst is None else float(burst)
