"""The other end of a port's link, as the port sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

__all__ = ["Downstream", "Frame", "Upstream"]

Frame: TypeAlias = Sequence[Any]
"""Elements in one message: a list, or a ``range`` or tuple that costs nothing to make."""


class Upstream(Protocol):
    """Where an inlet sends its requests."""

    def request(self, n: int, /) -> None:
        """Ask for ``n`` more elements."""

    def cancel(self, cause: BaseException | None = None, /) -> None:
        """Ask for no more; ``cause`` tells that downstream failed rather than had enough."""


class Downstream(Protocol):
    """Where an outlet sends its elements and its end."""

    def push(self, frame: Frame, /) -> None:
        """Deliver a frame within demand."""

    def complete(self) -> None:
        """No more elements will come."""

    def fail(self, error: BaseException, /) -> None:
        """The stream failed."""
