"""The modules of ``opentelemetry-api``, which are imported at the first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from actors_rs.errors import MissingExtraError

__all__ = ["api"]


def api(name: str) -> Any:
    """The module ``opentelemetry.<name>``; raises ``MissingExtraError`` if it is not installed."""
    try:
        return import_module(f"opentelemetry.{name}")
    except ImportError:
        raise MissingExtraError(
            "metrics and traces need opentelemetry-api, which is not installed: "
            "pip install 'actors-rs[opentelemetry]'"
        ) from None
