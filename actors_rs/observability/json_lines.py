"""Log records as lines of JSON, with all fields that were given by ``extra``."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any

from actors_rs.texts import text_of

__all__ = ["JsonLines"]

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""What every record has; the rest is ``extra``."""
_ALWAYS = ("run", "stage", "partition")
"""Fields that every line has, so that any line can be searched for."""
_PLAIN = (str, int, float, bool, type(None))


class JsonLines(logging.Formatter):
    """A formatter for ``logging``: one JSON object a line.

    ``time`` (ISO 8601, UTC), ``level``, ``logger``, ``message``, ``run``, ``stage``, ``partition``,
    ``traceback`` if there is one, and the other ``extra`` fields of the record, such as ``event``.
    Every line has ``run``, ``stage`` and ``partition``: ``null`` where there is none. Fields that
    are not of JSON become text. Thread-safe.

    >>> import logging
    >>> record = logging.makeLogRecord({"msg": "hi", "run": "nightly"})
    >>> JsonLines().format(record).endswith('"run": "nightly", "stage": null, "partition": null}')
    True
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name or "root",
            "message": record.getMessage(),
            **dict.fromkeys(_ALWAYS),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        for name, value in vars(record).items():
            if name not in _OWN and value is not None:
                line[name] = value if isinstance(value, _PLAIN) else text_of(value)
        return json.dumps(line, ensure_ascii=False)
