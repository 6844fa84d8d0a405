"""The arguments that all calls share which run a graph: ``system=``, ``name=``, ``timeout=``."""

from __future__ import annotations

from typing import Any

from actors_rs.graph.checks import optional_text, positive_seconds, wrong_kind
from actors_rs.runtime.system.system import ActorSystem
from actors_rs.texts import repr_of

__all__ = ["check_running", "check_system"]


def check_running(
    call: str, system: Any = None, name: Any = None, timeout: Any = None
) -> float | None:
    """The ``timeout`` in seconds, if there is one; raises for a wrong argument of ``call``."""
    if system is not None:
        check_system(call, system)
    optional_text(name, f"{call}: name")
    return None if timeout is None else positive_seconds(timeout, f"{call}: timeout")


def check_system(call: str, system: Any) -> None:
    """Raise unless ``system``, an argument of ``call``, is one, and open."""
    if not isinstance(system, ActorSystem):
        raise wrong_kind(f"{call} needs an ActorSystem, got {repr_of(system)}")
    system._check_open()
