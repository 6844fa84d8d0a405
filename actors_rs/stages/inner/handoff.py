"""Outlets that a running stage hands to other streams, as ``group_by`` does with its groups."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["OutletOwner"]


class OutletOwner(Protocol):
    """Who has made a stream of an outlet. One for all its outlets: there may be a million."""

    def name_of(self, outlet: Any, /) -> str:
        """What errors call the stream of ``outlet``. Any thread."""
        ...

    def claimed(self, outlet: Any, /) -> None:
        """A run takes the stream of ``outlet``; in the stage's turn."""

    def lost(self, outlet: Any, /) -> None:
        """Nobody can run it any more; in the stage's turn."""
