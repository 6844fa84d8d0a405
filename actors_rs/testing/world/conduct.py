"""What steps and peers see of the dispatcher that conducts them, and report to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Protocol, TypeVar

from actors_rs.testing.world.clock import VirtualClock

__all__ = ["Choose", "Conductor", "Named", "Noted"]

T = TypeVar("T")
Noted = tuple[int, int, Any]
"""A message, after two numbers that say where it was put or taken."""


class Choose(Protocol):
    """Decides between options."""

    def __call__(self, what: str, options: Sequence[T]) -> T:
        """One of ``options``."""
        ...


class Named(Protocol):
    """Who is named in an error."""

    name: str


class Conductor(Protocol):
    """Runs one step after another, on one thread."""

    clock: VirtualClock
    choose: Choose
    thread: int
    """The only thread of this world."""
    steps: int
    """How many steps have begun."""
    running: int
    """The number of the actor that runs, or of the peer that acts, 0 for all else."""
    reached: set[int] | None
    """The receivers of what the step sends that runs, if that is asked for."""
    note_taken: Callable[[Noted], None]
    note_put: Callable[[Noted], None]

    def adopt_peer(self, label: str) -> int:
        """Give a peer that is no actor its number."""
        ...

    def name_of(self, number: int) -> str:
        """The name of the actor or peer with this number."""
        ...

    def submit(self, name: str, call: Callable[[], Any]) -> None:
        """Let ``call`` take part in the choice of the next step."""

    def refuse_thread(self, step: Named, message: Any) -> NoReturn:
        """Raise for a message that came on another thread."""
        ...
