"""``WindowResult``: what ``aggregate_by`` gives for each key and window."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

__all__ = ["WindowResult"]

K = TypeVar("K")
T = TypeVar("T")
V = TypeVar("V")


class WindowResult(NamedTuple, Generic[K, T, V]):
    """The ``value`` of the elements of one ``key`` in the window from ``start`` to ``end``.

    The window holds the moments from ``start`` on and before ``end``. These are the results of
    ``event_time``, seconds or datetimes; of windows by processing time, seconds since the stage
    began.

    >>> readings = Source.of((1, 20.5), (2, 21.0), (61, 19.5))
    >>> windows = readings.aggregate_by(
    ...     lambda one: "room", 0, lambda n, _: n + 1, every=60, event_time=lambda one: one[0]
    ... )
    >>> windows.map(lambda window: (window.start, window.end, window.value)).run(Sink.list())
    [(0.0, 60.0, 2), (60.0, 120.0, 1)]
    """

    key: K
    start: T
    end: T
    value: V
