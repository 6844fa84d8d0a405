"""The picture of a blueprint, and how a notebook shows it."""

from __future__ import annotations

from collections.abc import Iterable

from actors_rs.graph.blueprint import in_order
from actors_rs.graph.drawing.boxes import Arrow, Box
from actors_rs.graph.drawing.picture import Picture
from actors_rs.graph.loops import closing_refs
from actors_rs.graph.names import unique_names
from actors_rs.graph.spec import StageSpec

__all__ = ["picture_of", "shown_in_notebook"]


def picture_of(ends: Iterable[StageSpec]) -> Picture:
    """The stages that lead to ``ends``. An open input, as a ``Flow`` has, gets no arrow."""
    specs = in_order(ends)
    ways_back = closing_refs(specs)  # a loop's sink is no actor: its input feeds the loop's source
    specs = [spec for spec in specs if spec.loop is None or spec.outlets]
    places = {spec: place for place, spec in enumerate(specs)}
    boxes = [Box(name) for name in unique_names(spec.label for spec in specs)]
    arrows = [
        Arrow(places[ref.spec], place, f"out {ref.index}" if ref.spec.outlets > 1 else "")
        for place, spec in enumerate(specs)
        for ref in ways_back.get(spec, spec.inputs)
        if ref.spec in places
    ]
    return Picture(boxes, arrows)


def shown_in_notebook(text: str, svg: str) -> dict[str, str]:
    """A notebook takes the drawing; a terminal, and a page without pictures, take ``text``."""
    return {"text/plain": text, "image/svg+xml": svg}
