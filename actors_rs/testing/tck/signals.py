"""Signals as values, and a log of them that a test reads one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from actors_rs.testing.tck.environment import Environment, Failure
from actors_rs.texts import repr_of, repr_of_fields

__all__ = ["Signal", "SignalLog"]


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal as it arrived: the method's name and its argument."""

    kind: str
    value: Any = None

    __repr__ = repr_of_fields

    def __str__(self) -> str:
        return self.kind if self.kind == "on_complete" else f"{self.kind}({repr_of(self.value)})"


class SignalLog:
    """What arrived, in order; the test waits for the next and takes it. Thread-safe."""

    def __init__(self, env: Environment, name: str) -> None:
        self.env = env
        self.name = name
        self.signals: list[Signal] = []
        self._read = 0

    @property
    def unread(self) -> Signal | None:
        """The next signal that no expectation has taken yet, ``None`` if there is none."""
        with self.env.changed.lock:
            return self.signals[self._read] if self._read < len(self.signals) else None

    @property
    def elements(self) -> list[Any]:
        """All elements that have arrived so far."""
        with self.env.changed.lock:
            return [signal.value for signal in self.signals if signal.kind == "on_next"]

    def record(self, signal: Signal) -> None:
        """Append a signal and wake the threads that wait for it."""
        with self.env.changed.lock:
            self.signals.append(signal)
            self.env.changed.notify_all()

    def peek(self, rule: str, wanted: str) -> Signal:
        """Wait for the next signal and leave it there."""
        message = f"rule {rule}: {self.name} expected {wanted}, nothing came"
        self.env.wait_until(lambda: self._read < len(self.signals), message)
        return self.signals[self._read]

    def take(self, kind: str, rule: str, wanted: str) -> Signal:
        """Wait for the next signal, which has to be of this kind, and take it."""
        signal = self.peek(rule, wanted)
        if signal.kind != kind:
            raise Failure(f"rule {rule}: {self.name} expected {wanted}, got {signal}")
        self._read += 1
        return signal

    def expect_nothing(self, rule: str, when: str) -> None:
        """``Failure`` if any signal comes within the quiet period."""
        self.env.stays_false(lambda: self._read < len(self.signals))
        if (came := self.unread) is not None:
            raise Failure(f"rule {rule}: {self.name} expected no signal {when}, got {came}")
