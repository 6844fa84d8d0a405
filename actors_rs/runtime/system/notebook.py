"""How a notebook shows a system: the drawings of its runs, which follow them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["InNotebooks"]


class InNotebooks:
    """The two methods by which IPython shows an object."""

    def _living_activities(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """The drawings of its runs at this moment."""
        bundle: dict[str, str] = _drawings().bundle_of_system(self)
        return bundle

    def _ipython_display_(self) -> None:
        """The drawings, which follow the runs until all have ended."""
        if not self._living_activities():
            raise NotImplementedError  # IPython takes the bundle then
        _drawings().show_system(self)


def _drawings() -> Any:
    # By its name: observability knows systems, and not the other way round.
    return import_module("actors_rs.observability.notebook")
