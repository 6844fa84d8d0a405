"""``PortSet``: the ports of a stage some of which come and go while it runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

__all__ = ["PortSet"]

P = TypeVar("P")


class PortSet(Sequence[P]):
    """Ports in the order in which they came; adding and removing one costs the same for any number.

    To be changed in the stage's turns only; any thread may iterate, over those there are just then.
    """

    __slots__ = ("_ports", "own")

    def __init__(self, *ports: P) -> None:
        self._ports: dict[P, None] = dict.fromkeys(ports)
        self.own = ports
        """Those it was made with, which never go."""

    @property
    def has_others(self) -> bool:
        """Whether there are some besides those it was made with."""
        return len(self._ports) > len(self.own)

    def __len__(self) -> int:
        return len(self._ports)

    def __iter__(self) -> Iterator[P]:
        return iter([*self._ports])  # one step for other threads

    def __contains__(self, port: object) -> bool:
        return port in self._ports

    def __getitem__(self, index: Any) -> Any:
        """The first ones, which never go, are asked for in every turn."""
        if isinstance(index, slice):
            return [*self._ports][index]
        return next(islice(self._ports, index, None))

    def append(self, port: P) -> None:
        """Add ``port``."""
        self._ports[port] = None

    def remove(self, port: P) -> None:
        """Take ``port`` out; it is one of them."""
        del self._ports[port]
