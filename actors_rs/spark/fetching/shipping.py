"""Code of ours that runs on executors, which need not have this package installed."""

from __future__ import annotations

from types import ModuleType
from typing import Any

__all__ = ["travels"]


def travels(module: ModuleType) -> None:
    """From now on functions of ``module`` are sent whole, not as names to be imported there."""
    from pyspark import cloudpickle

    untyped: Any = cloudpickle
    untyped.register_pickle_by_value(module)
