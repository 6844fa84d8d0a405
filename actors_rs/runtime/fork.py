"""Objects that streams share and no system owns: a forked child makes them usable again.

One of their locks may be held there by a thread that does not exist in the child.
"""

from __future__ import annotations

from typing import Protocol
from weakref import WeakSet

from actors_rs.runtime._primitives import after_fork_in_child

__all__ = ["Shared", "renew_in_child"]


class Shared(Protocol):
    """What threads of one process share."""

    def _renew(self) -> None:
        """Begin anew in a forked child; takes no old lock."""


_shared: WeakSet[Shared] = WeakSet()


def renew_in_child(shared: Shared) -> None:
    """Let ``shared``, which is held weakly, begin anew in every child that this process forks."""
    _shared.add(shared)


def _renew_all() -> None:
    for shared in list(_shared):
        shared._renew()


after_fork_in_child(_renew_all)
