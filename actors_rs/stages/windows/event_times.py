"""``EventTimes``: event times of users, which are seconds or datetimes, as seconds and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any

from actors_rs.texts import repr_of

__all__ = ["EventTimes"]

_NAIVE = datetime(1970, 1, 1)
_AWARE = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class EventTimes:
    """Reads the times of one stream, which are all of one kind: the kind of the first one."""

    def __init__(self) -> None:
        self._kind: str | None = None
        self._zone: Any = None

    def seconds(self, moment: Any) -> float:
        """``moment`` as seconds since 1970. Raises ``TypeError`` for another kind of time."""
        kind = type(moment)
        if kind is float or kind is int:
            if self._kind == "seconds" and isfinite(moment):
                return float(moment)
            seconds, kind_now = float(moment), "seconds"
        elif isinstance(moment, datetime):
            aware = moment.utcoffset() is not None
            since = moment - (_AWARE if aware else _NAIVE)
            seconds = since / _MICROSECOND / 1_000_000
            kind_now = "datetimes with a time zone" if aware else "datetimes without a time zone"
            if self._zone is None:
                self._zone = moment.tzinfo
        else:
            raise TypeError(
                f"event_time must give seconds (a number) or a datetime, got {repr_of(moment)}"
            )
        self._check(moment, seconds, kind_now)
        return seconds

    def moment(self, seconds: float) -> Any:
        """``seconds`` as the times of this stream are; in the time zone of the first one."""
        if self._kind is None or self._kind == "seconds":
            return seconds
        since = timedelta(microseconds=round(seconds * 1_000_000))
        if self._kind == "datetimes without a time zone":
            return _NAIVE + since
        return (_AWARE + since).astimezone(self._zone)

    def _check(self, moment: Any, seconds: float, kind: str) -> None:
        if not isfinite(seconds):
            raise ValueError(f"event_time must give a finite time, got {repr_of(moment)}")
        if self._kind is None:
            self._kind = kind
        if kind != self._kind:
            raise TypeError(
                f"event_time must give {self._kind}, as for the first element, "
                f"got {repr_of(moment)}"
            )
