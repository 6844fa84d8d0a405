"""The order in which a system's actors stop: the last one first, each after the one before it.

So no two ``on_stop`` hooks overlap, and a message to an actor that was started earlier still
arrives. No thread waits for the order: an actor that ends sends the order to stop to the next one.
Children of a supervisor are not part of it; they stop with their supervisor.

Each actor stops after the messages in its mailbox, or *at once*: then they are returned unread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from actors_rs.runtime._primitives import RLock

if TYPE_CHECKING:
    from actors_rs.runtime.actors.contract import ActorBase

__all__ = ["StopLine"]


class StopLine:
    """The actors that must stop, and the one that is stopping. Any thread may call its methods."""

    def __init__(self) -> None:
        self._lock = RLock()  # the collector may run a ``__del__`` in here that ends an actor
        self._waiting: list[ActorBase] = []
        self._stopping: ActorBase | None = None
        self._at_once = False

    def form(self, actors: Sequence[ActorBase], *, at_once: bool) -> None:
        """Stop ``actors``, the last started first; they replace the actors that waited before.

        Stages of a run get their order at once: they end with the stream, in an order of its own.
        """
        own = [a for a in actors if a._supervisor_link_ is None and not a._has_slot_]
        for actor in reversed(own):
            if not actor._stops_in_order_:
                actor._stop_when_read_()
        with self._lock:
            self._at_once = self._at_once or at_once
            stopping = self._stopping
            self._waiting = [a for a in own if a._stops_in_order_ and a is not stopping]
        # It may have an order to stop after its messages; or Ctrl-C came before it got one.
        if stopping is not None and not self._tell(stopping):
            self._forget(stopping)
        self._tell_next()

    def ended(self, actor: ActorBase) -> None:
        """``actor`` has ended, told or not."""
        if self._stopping is actor:  # asked without the lock, for most who end were not told
            self._forget(actor)
        if self._stopping is None and self._waiting:
            self._tell_next()

    def hurry(self, actors: Sequence[ActorBase]) -> None:
        """The time is up: stop all of ``actors`` at once."""
        with self._lock:
            self._waiting.clear()
        for actor in reversed(actors):
            if actor._supervisor_link_ is None:
                actor._stop_at_once_()
            actor._hurry_()

    def _tell_next(self) -> None:
        while True:
            with self._lock:
                if self._stopping is not None or not self._waiting:
                    return
                actor = self._stopping = self._waiting[-1]  # no call, in which Ctrl-C may come
                del self._waiting[-1]
            # Outside the lock: on the calling thread the actor may end before this returns.
            if self._tell(actor):
                return
            self._forget(actor)

    def _tell(self, actor: ActorBase) -> bool:
        """Tell it to stop; False if it has ended."""
        return actor._stop_at_once_() if self._at_once else actor._stop_when_read_()

    def _forget(self, actor: ActorBase) -> None:
        with self._lock:
            if self._stopping is actor:
                self._stopping = None
