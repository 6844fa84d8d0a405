"""The whole explanation, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from actors_rs.engine.explaining.failures import failures
from actors_rs.engine.explaining.holding import held, windows
from actors_rs.engine.explaining.islands import islands
from actors_rs.engine.explaining.partitions import partitions
from actors_rs.engine.explaining.plan import Plan, Settings, parts_of
from actors_rs.engine.explaining.waits import waits
from actors_rs.engine.layout import Layout

__all__ = ["explained"]

_PARTS: tuple[tuple[str, Callable[[Plan], Iterable[str]]], ...] = (
    ("Islands: stages that share an actor", islands),
    ("Windows: elements that a link holds at most", windows),
    ("Held at most", held),
    ("What waits for what", waits),
    ("When an element fails", failures),
    ("Partitions: how a source computes them", partitions),
)


def explained(layout: Layout, settings: Settings) -> str:
    """What ``Graph.explain`` returns."""
    return "\n".join(_lines(Plan(layout, settings)))


def _lines(plan: Plan, within: str = "") -> Iterator[str]:
    for title, part in _PARTS:
        lines = list(part(plan))
        if within and part is held:  # it is counted with the whole
            continue
        if part is partitions and not lines:
            continue
        yield title + within
        yield from (f"  {line}" for line in lines)
    for stage, streams in parts_of(plan):
        for stream in streams:
            yield from _lines(stream.plan, f", in '{plan.names[stage.spec]}'")
