"""Peers that are no actors: the world notes the signals that they get, too.

There is no mailbox that would note a signal between two peers, or after the last actor.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.engine.links import Signal

if TYPE_CHECKING:
    from actors_rs.testing.world.conduct import Conductor

__all__ = ["Peer", "PeerSignal"]


class PeerSignal(Signal):
    """A signal of the standard, of the ``kind`` that a peer got by a call; in no mailbox."""

    __slots__ = ("args", "kind")

    def __init__(self, kind: str, args: tuple[Any, ...]) -> None:
        self.kind = kind
        self.args = args


class Peer:
    """One of them, in the world of ``dispatcher``."""

    __slots__ = ("_dispatcher", "_steps", "number")

    def __init__(self, dispatcher: Conductor, name: str) -> None:
        self._dispatcher = dispatcher
        self._steps = 0
        self.number = dispatcher.adopt_peer(name)

    def got(self, kind: str, args: tuple[Any, ...], sender: Peer | None) -> None:
        """Note a signal from the actor or peer that acts now; without one, from ``sender``."""
        dispatcher, number = self._dispatcher, self.number
        signal = PeerSignal(kind, args)
        by = dispatcher.running or (0 if sender is None else sender.number)
        dispatcher.note_put((by, number, signal))
        dispatcher.note_taken((dispatcher.steps, number, signal))
        if dispatcher.reached is not None:
            dispatcher.reached.add(number)

    def soon(self, what: str, call: Callable[[], object]) -> None:
        """Call it in a step of its own, as ``acts`` does; deliveries show its signals."""
        self._steps += 1
        name = f"{self._dispatcher.name_of(self.number)}-{what}-{self._steps}"
        self._dispatcher.submit(name, partial(self.acts, call))

    def acts(self, call: Callable[..., object], *args: Any) -> None:
        """Call it: signals that it sends come from this peer."""
        dispatcher = self._dispatcher
        before, dispatcher.running = dispatcher.running, self.number
        if dispatcher.reached is not None:
            dispatcher.reached.add(self.number)
        try:
            call(*args)
        finally:
            dispatcher.running = before
