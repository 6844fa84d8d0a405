"""Conservation: no element of a run vanishes between two stages or inside of one.

On each link, what the outlet gave is what the inlet took, unless that was cancelled or its stage
failed. In each stage that came to its regular end, what came in went out, for the kinds whose
balance is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.graph.run import Run
from actors_rs.graph.shell import StageActor
from actors_rs.stages.stage import StageLogic

__all__ = ["BALANCES", "lost"]


def _each(logic: StageLogic) -> bool:
    taken = sum(inlet.count for inlet in logic.inlets)
    return all(outlet.count == taken for outlet in logic.outlets)


def _together(logic: StageLogic) -> bool:
    taken = sum(inlet.count for inlet in logic.inlets)
    return sum(outlet.count for outlet in logic.outlets) == taken


def _at_most(logic: StageLogic) -> bool:
    taken = sum(inlet.count for inlet in logic.inlets)
    return sum(outlet.count for outlet in logic.outlets) <= taken


BALANCES: dict[str, Callable[[StageLogic], bool]] = {
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
"""By the kind of a stage: whether what it gave fits what it took, once it has completed."""


def lost(run: Run[Any]) -> str:
    """What is wrong with the balance of a run that has ended; empty if nothing is."""
    for stage in run._stages:
        if said := _inside(stage) or _before(stage):
            return said
    return ""


def _inside(stage: StageActor) -> str:
    logic, balanced = stage.logic, BALANCES.get(stage.kind)
    if balanced is None or not _regular(stage) or balanced(logic):
        return ""
    taken = sum(inlet.count for inlet in logic.inlets)
    gave = " and ".join(str(outlet.count) for outlet in logic.outlets)
    return f"stage '{stage.name}' ({stage.kind}) took {taken} elements and gave {gave}"


def _before(stage: StageActor) -> str:
    """The links that end at ``stage``."""
    for inlet in stage.logic.inlets:
        line: Any = inlet._upstream
        outlet = getattr(getattr(line, "_up", line), "_outlet", None)
        if outlet is None or inlet.cancelled or not inlet.done:
            continue
        if outlet.count != inlet.count + inlet.buffered:
            held = f"took {inlet.count} and holds {inlet.buffered}"
            return f"{outlet.count} elements went to stage '{stage.name}', which {held}"
    return ""


def _regular(stage: StageActor) -> bool:
    """Whether the stage completed: neither failed nor cancelled, nor cancelling."""
    if stage.error is not None:
        return False
    ended = all(i.done and not i.cancelled and i.error is None for i in stage.logic.inlets)
    return ended and not any(outlet.cancelled for outlet in stage.logic.outlets)
