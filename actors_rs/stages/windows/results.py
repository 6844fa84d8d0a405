"""``WindowResult``: what ``aggregate_by`` gives for each key and window."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

__all__ = ["WindowResult"]

K = TypeVar("K")
T = TypeVar("T")
V = TypeVar("V")


class WindowResult(NamedTuple, Generic[K, T, V]):
    """What came of the elements of one ``key`` in the window from ``start`` to ``end``.

    The window holds the moments from ``start`` on and before ``end``. These are what ``event_time``
    gives, seconds or datetimes; of windows by processing time, seconds since the stage began.
    """

    key: K
    start: T
    end: T
    value: V
