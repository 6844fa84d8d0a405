"""What worker processes need: a library, and cores to run on."""

from __future__ import annotations

import os
from importlib.util import find_spec

from actors_rs.errors import MissingExtraError

__all__ = ["check_pickles", "cores"]


def check_pickles(called: str) -> None:
    """Raise ``MissingExtraError`` if functions cannot travel; ``called`` is who needs that."""
    if find_spec("cloudpickle") is None:
        raise MissingExtraError(
            f"{called} needs cloudpickle, which is not installed: "
            "pip install 'actors-rs[processes]'"
        )


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
