"""What happened in a world: every message put and taken, its digest and its behaviour.

The digest is of the whole run, step by step. The behaviour is the sequence of messages that each
actor received: many orders of a run are one behaviour.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any, NamedTuple

from actors_rs.engine.links import Arrived, Posted
from actors_rs.testing.world.describe import Describer
from actors_rs.testing.world.peers import PeerSignal

__all__ = ["Delivery", "Log"]


class Delivery(NamedTuple):
    """A message that was taken: in which step, by whom it was put, who took it, and what it is."""

    step: int
    sender: str
    receiver: str
    message: str

    def __str__(self) -> str:
        return f"step {self.step}: {self.sender} -> {self.receiver}: {self.message}"


class Log:
    """The puts and takes of one world, as they happened."""

    def __init__(self, ports: Callable[[], dict[int, str]]) -> None:
        """``ports`` gives names for ports, by their ids."""
        self.taken: list[tuple[int, int, Any]] = []
        """Of each message taken: the step, the number of the actor or peer, the message."""
        self.put: list[tuple[int, int, Any]] = []
        """Of each message put: the numbers of sender (0: outside) and receiver, the message."""
        self.called: list[tuple[int, int, str]] = []
        """Of each call of the scenario's own: how many were taken before, its step, its name."""
        self.names: list[str] = ["outside"]
        """Of each actor, and each peer that is none, by its number."""
        self._describer = Describer(ports)
        self._described: list[str] = []
        self._looked_at = 0  # how many of those put
        self._unread: list[Any] = []  # of those, when that was

    def forget_delivered(self, step: int, unread: set[int]) -> None:
        """Keep of messages only how they are described, unless a receiver is still to look at them.

        That is for those with the ids ``unread``, and for what was taken in this ``step``. A log
        that kept the others would keep the streams in them from being seen as thrown away.
        """
        for taken_in, _, message in reversed(self.taken):
            if taken_in < step:
                break
            unread.add(id(message))
        left = self._unread + [message for _, _, message in self.put[self._looked_at :]]
        self._looked_at, self._unread = len(self.put), []
        for message in left:
            if id(message) in unread:
                self._unread.append(message)
            elif type(message) is Arrived:
                message.frame = self._describer.described(message.frame)
            elif type(message) is Posted:
                message.action = self._describer.described(message.action)
            elif type(message) is PeerSignal:
                message.args = self._describer.described(message.args)

    def _messages(self) -> list[str]:
        """The messages taken, described; each once."""
        known, taken = self._described, self.taken
        if len(known) < len(taken):
            message = self._describer.message
            known.extend([message(one) for _, _, one in taken[len(known) :]])
        return known

    def digest(self) -> str:
        """Equal for equal runs, in every process and on every Python version."""
        lines = [
            f"{step} {self.names[number]} {message}\n"
            for (step, number, _), message in zip(self.taken, self._messages(), strict=True)
        ]
        return blake2b("".join(lines).encode(), digest_size=8).hexdigest()

    def behaviour(self) -> str:
        """Equal for runs in which every actor received the same in the same order."""
        received: list[list[str]] = [[name] for name in self.names]
        for (_, number, _), message in zip(self.taken, self._messages(), strict=True):
            received[number].append(message)
        lines = [line for history in sorted(received) for line in history]
        return blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()

    def behaviour_key(self) -> int:
        """Equal for equal behaviours within one process; several times quicker."""
        histories = [0] * len(self.names)
        self._describer.keys(self.taken, histories)
        return hash(tuple(sorted(zip(self.names, histories, strict=True))))

    @property
    def delivered(self) -> int:
        """How many deliveries there are by now."""
        return len(self.taken) + len(self.called)

    def deliveries(self) -> Iterator[Delivery]:
        """All deliveries, oldest first, with their senders; calls are in between, in order."""
        calls = deque(self.called)
        for place, delivery in enumerate(self._taken()):
            while calls and calls[0][0] <= place:
                yield self._call(calls.popleft())
            yield delivery
        yield from map(self._call, calls)

    def _call(self, call: tuple[int, int, str]) -> Delivery:
        _, step, name = call
        return Delivery(step, self.names[0], name, "called")

    def _taken(self) -> Iterator[Delivery]:
        senders: dict[tuple[int, int], list[int]] = {}
        for sender, receiver, message in self.put:
            senders.setdefault((receiver, id(message)), []).append(sender)
        for (step, number, one), message in zip(self.taken, self._messages(), strict=True):
            known = senders.get((number, id(one)))
            sender = known.pop(0) if known else 0
            yield Delivery(step, self.names[sender], self.names[number], message)
