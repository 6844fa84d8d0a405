"""unfold_resource(open, read, close)

"first line" "second line" |

Gives what a function reads from a resource, which is opened on first demand and closed at any end.

Back-pressure: reads as far as elements are asked for, on a thread of its own.
Completes: when read gives None, after the closing.
Fails: when a function raises, after what came before.
Cancels: closes the resource.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from actors_rs.stages.source import IteratorSource


class UnfoldResource(IteratorSource):
    """``read(resource)`` gives the next element, or ``None`` at the end."""

    def __init__(
        self,
        open_: Callable[[], Any],
        read: Callable[[Any], Any],
        close: Callable[[Any], object],
        interrupt: Callable[[Any], object] | None = None,
    ) -> None:
        super().__init__()
        self._open = open_
        self._read = read
        self._close = close
        self._opened: list[Any] = []
        if interrupt is not None:
            self.interrupted_by(lambda: [interrupt(resource) for resource in self._opened])

    def elements(self) -> Iterator[Any]:
        resource = self._open()
        self._opened.append(resource)
        try:
            while (element := self._read(resource)) is not None:
                yield element
        finally:
            self._opened.clear()
            self._close(resource)
