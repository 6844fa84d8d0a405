"""Conservation: no element of a run vanishes between two stages or inside of one.

Looked at are sinks, and stages of the kinds whose balance is known, that came to their end behind
the ends of all their inlets, without failing or being cancelled. Then what the outlet before an
inlet gave is what the inlet took, and what the stage took is what it gave; what a policy drops is
taken and not given by kinds that may do so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from actors_rs.graph.run import Run
from actors_rs.graph.shell import StageActor
from actors_rs.stages.linear import SinkLogic

__all__ = ["BALANCES", "lost"]


def _each(taken: int, gave: Sequence[int]) -> bool:
    return all(count == taken for count in gave)


def _together(taken: int, gave: Sequence[int]) -> bool:
    return sum(gave) == taken


def _at_most(taken: int, gave: Sequence[int]) -> bool:
    return sum(gave) <= taken


BALANCES: dict[str, Callable[[int, Sequence[int]], bool]] = {
    "map": _together,
    "map_async": _together,
    "scan": _together,
    "identity": _together,
    "merge": _together,
    "partition": _together,
    "broadcast": _each,
    "filter": _at_most,
    "skip": _at_most,
    "skip_while": _at_most,
    "batch": _at_most,
}
"""By the kind of a stage: whether what its outlets gave fits what it took, once it has completed.

Elements that it failed for and went on behind, as its policy said, do not count as taken."""


def lost(run: Run[Any]) -> str:
    """What is wrong with the balance of a run that has ended; empty if nothing is."""
    for stage in run._stages:
        if _took_all(stage) and (said := _inside(stage) or _before(stage)):
            return said
    return ""


def _took_all(stage: StageActor) -> bool:
    """Whether the stage, of a known kind, came to its end behind the ends of all its inlets."""
    logic = stage.logic
    if stage.kind not in BALANCES and not isinstance(logic, SinkLogic):
        return False
    if stage.error is not None or getattr(logic, "satisfied", False):
        return False
    ended = all(inlet.done and inlet.error is None for inlet in logic.inlets)
    completed = not isinstance(logic, SinkLogic) or logic.completed
    return ended and completed and not any(outlet.cancelled for outlet in logic.outlets)


def _inside(stage: StageActor) -> str:
    logic, balanced = stage.logic, BALANCES.get(stage.kind)
    taken = sum(inlet.count for inlet in logic.inlets)
    gave = [outlet.count for outlet in logic.outlets]
    if balanced is None or balanced(taken - stage.resumed - stage.restarted, gave):
        return ""
    shown = " and ".join(map(str, gave))
    return f"stage '{stage.name}' ({stage.kind}) took {taken} elements and gave {shown}"


def _before(stage: StageActor) -> str:
    """The links that end at ``stage``."""
    for inlet in stage.logic.inlets:
        line: Any = inlet._upstream
        outlet = getattr(getattr(line, "_up", line), "_outlet", None)
        if outlet is not None and outlet.count != inlet.count:
            return f"{outlet.count} elements went to stage '{stage.name}', which took {inlet.count}"
    return ""
