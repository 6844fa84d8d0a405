"""A Subscription that signals straight from ``request``, as 3.10 and 3.11 permit.

A request made inside a signal is answered on the same stack, as deep as there are elements (3.3).
One of another thread while a signal is under way only leaves its demand there: signals never
overlap (1.3). Thread-safe.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from actors_rs.protocol.interfaces import Subscriber
from actors_rs.runtime._primitives import current_thread_id
from actors_rs.testing.reference import ReferenceSubscription, Signals
from actors_rs.testing.tck.environment import Environment, Failure
from actors_rs.texts import text_of

__all__ = ["SynchronousSubscription"]


class SynchronousSubscription(ReferenceSubscription[Any]):
    """Sends ``elements``, then completes; a wrong reaction to a signal breaks ``rule``."""

    def __init__(
        self, env: Environment, rule: str, subscriber: Subscriber[Any], elements: Iterable[Any]
    ) -> None:
        super().__init__(subscriber, elements)
        self._env = env
        self._rule = rule
        self._first: Signals | None = partial(subscriber.on_subscribe, self)
        self._end = subscriber.on_complete
        self._depth = 0  # signals under way, each inside the one before, on one thread
        self._thread = 0

    def begin(self) -> None:
        """Give the subscriber this subscription; elements it requests come before this returns."""
        self.run()

    def run(self) -> None:
        """Give out what can be given, unless another thread is at it."""
        while (signal := self._entered()) is not None:
            self.signal(signal)
            with self._lock:
                self._depth -= 1

    def choose(self) -> Signals | None:
        """``on_subscribe`` before all others."""
        first, self._first = self._first, None
        return super().choose() if first is None else first

    def signal(self, signal: Signals) -> None:
        """Send one signal; note what it raises, after which nothing more comes."""
        must = f"rule {self._rule}: a signal inside request must"
        try:
            self._env.call(f"{must} work", signal, in_time=f"{must} return in time")
        except Failure as failure:
            self._env.flop(text_of(failure))
            self.cancel()

    def _entered(self) -> Signals | None:
        with self._lock:
            me = current_thread_id()
            if self._depth and self._thread != me:
                return None
            if (signal := self.choose()) is not None:
                self._depth += 1
                self._thread = me
            return signal
