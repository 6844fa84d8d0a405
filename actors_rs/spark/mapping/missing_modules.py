"""What to do about a module that the executors' Python does not find."""

from __future__ import annotations

import re

__all__ = ["advice_on_modules"]

_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")


def advice_on_modules(text: str) -> str | None:
    """What to do about the module that ``text``, of an error, says is missing, if it says so."""
    found = _NO_MODULE.search(text)
    if found is None:
        return None
    return (
        f"the executors' Python does not find module '{found.group(1)}': send it to them with "
        "session.sparkContext.addPyFile(path) or spark-submit --py-files, or install it on them"
    )
