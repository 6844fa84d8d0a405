"""Pictures of graphs: boxes and arrows as Mermaid, Graphviz DOT, SVG, or an outline in plain text.

Pure functions. A stage may have any name: characters with a meaning in the format are escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from actors_rs.errors import InvalidArgumentError
from actors_rs.graph.drawing.boxes import Arrow, Box
from actors_rs.graph.drawing.svg import FILLS, svg_of
from actors_rs.texts import one_of

__all__ = ["Format", "Picture"]

Format: TypeAlias = Literal["mermaid", "dot", "svg"]
MERMAID_SIGNS = {sign: f"#{ord(sign)};" for sign in '#"`<>&'}


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes, each before those it feeds as far as that is possible, and the arrows between them."""

    boxes: Sequence[Box]
    arrows: Sequence[Arrow]

    def draw(self, format: str) -> str:
        """The picture as text in ``format``, one of ``mermaid``, ``dot``, ``svg``.

        Raises ``InvalidArgumentError`` for another one.
        """
        if format == "mermaid":
            return self.mermaid()
        if format == "dot":
            return self.dot()
        if format == "svg":
            return self.svg()
        raise InvalidArgumentError(f"draw: format must be {one_of(get_args(Format), format)}")

    def mermaid(self) -> str:
        """A Mermaid flowchart, from left to right."""
        lines = ["flowchart LR"]
        for place, box in enumerate(self.boxes):
            lines.append(f'    s{place}["{"<br/>".join(map(_for_mermaid, box.lines))}"]')
        for arrow in self.arrows:
            label = f'|"{_for_mermaid(arrow.label)}"|' if arrow.label else ""
            line = "-.->" if arrow.starts else "-->"
            lines.append(f"    s{arrow.begin} {line}{label} s{arrow.end}")
        for state, colour in FILLS.items():
            if places := [f"s{n}" for n, box in enumerate(self.boxes) if box.state == state]:
                lines.append(f"    classDef {state} fill:{colour}")
                lines.append(f"    class {','.join(places)} {state}")
        return "\n".join(lines) + "\n"

    def dot(self) -> str:
        """A Graphviz digraph, from left to right."""
        lines = ["digraph {", "    rankdir=LR", '    node [shape=box, fontname="sans-serif"]']
        for place, box in enumerate(self.boxes):
            fill = f', style=filled, fillcolor="{FILLS[box.state]}"' if box.state in FILLS else ""
            text = "\\n".join(map(_for_dot, box.lines))
            lines.append(f'    s{place} [label="{text}"{fill}]')
        for arrow in self.arrows:
            label = [f'label="{_for_dot(arrow.label)}"'] if arrow.label else []
            style = ", ".join([*label, *(["style=dashed"] if arrow.starts else [])])
            lines.append(f"    s{arrow.begin} -> s{arrow.end}{style and f' [{style}]'}")
        return "\n".join([*lines, "}"]) + "\n"

    def svg(self) -> str:
        """The text of an SVG file, from left to right."""
        return svg_of(self.boxes, self.arrows)

    def outline(self) -> str:
        """A line for each row of stages between which nothing branches off or comes together."""
        into: list[list[Arrow]] = [[] for _ in self.boxes]
        out: list[list[Arrow]] = [[] for _ in self.boxes]
        for arrow in self.arrows:
            into[arrow.end].append(arrow)
            out[arrow.begin].append(arrow)
        names = [_in_one_line(box.name) for box in self.boxes]
        begun: set[int] = set()
        lines = []
        for place in range(len(self.boxes)):
            goes_on = len(into[place]) == 1 and len(out[into[place][0].begin]) == 1
            if goes_on and into[place][0].begin in begun:
                continue  # stands in the line of the one before it
            lines.append(_row(place, names, into, out, begun))
        return "\n".join(lines)


def _row(
    place: int,
    names: list[str],
    into: list[list[Arrow]],
    out: list[list[Arrow]],
    begun: set[int],
) -> str:
    """The stages from ``place`` on, after the names of the stages that feed it."""
    feeders = [f"{names[a.begin]}[{a.outlet}]" if a.outlet else names[a.begin] for a in into[place]]
    row = [", ".join(feeders)] if feeders else []
    while True:
        row.append(names[place])
        begun.add(place)
        if len(out[place]) != 1:
            break
        place = out[place][0].end
        if len(into[place]) != 1 or place in begun:
            break
    return " -> ".join(row)


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _for_mermaid(text: str) -> str:
    return "".join(MERMAID_SIGNS.get(sign, sign) for sign in _in_one_line(text))


def _for_dot(text: str) -> str:
    escaped = _in_one_line(text).replace("&", "&amp;").replace("\\", "\\\\")
    return escaped.replace('"', '\\"')
