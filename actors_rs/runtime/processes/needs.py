"""What worker processes need: a library, and cores to run on."""

from __future__ import annotations

import os
import platform
from importlib.util import find_spec

from actors_rs.errors import InvalidArgumentError, MissingExtraError
from actors_rs.texts import repr_of

__all__ = ["check_interpreters", "check_pickles", "cores"]


def check_pickles(called: str) -> None:
    """Raise ``MissingExtraError`` if functions cannot travel; ``called`` is who needs that."""
    if find_spec("cloudpickle") is None:
        raise MissingExtraError(
            f"{called} needs cloudpickle, which is not installed: "
            "pip install 'actors-rs[processes]'"
        )


def check_interpreters(called: str, timeout: float | None) -> None:
    """Raise ``InvalidArgumentError`` if calls cannot be made in interpreters of this process."""
    if timeout is not None:
        raise InvalidArgumentError(
            f"{called}: expected no timeout with workers='interpreters', got {repr_of(timeout)}: "
            "an interpreter cannot be killed; give a number of worker processes"
        )
    if find_spec("concurrent.interpreters") is None:
        raise InvalidArgumentError(
            f"{called}: workers='interpreters' needs Python 3.14 or newer, this is "
            f"{platform.python_version()}: give a number of worker processes, or None"
        )


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
