"""A picture of boxes and arrows as SVG, with the places of ``layout``. Pure.

A stage may have any name: all text is escaped. Long lines are cut; a box shows all of them in full
under the pointer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from actors_rs.graph.drawing.boxes import Arrow, Box
from actors_rs.graph.drawing.layout import BOX, INNER, Frame, Layout, hosts_of, layout

__all__ = ["FILLS", "svg_of"]

MOST_SIGNS = 27
"""Characters of a line that fit into a box."""
MOST_LINES = 4
FILLS = {"failed": "#f4b6b6", "ended": "#e6e6e6"}
"""Of boxes in a state other than running."""
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" \
viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" font-size="11">
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" \
orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#667"/></marker></defs>
<rect width="100%" height="100%" fill="#fff"/>
"""


def svg_of(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> str:
    """The picture as the text of an SVG file, on a white ground."""
    links = [(arrow.begin, arrow.end) for arrow in arrows if not arrow.starts]
    started_by: dict[int, list[int]] = {}
    for arrow in arrows:
        if arrow.starts:
            started_by.setdefault(arrow.end, []).append(arrow.begin)
    places = layout(len(boxes), links, hosts_of(links, started_by))
    parts = [_HEAD.format(width=places.width, height=places.height)]
    parts += map(_frame, places.frames)
    parts += (_arrow(arrow, places) for arrow in arrows if _is_drawn(arrow, places))
    for number, box in enumerate(boxes):
        if (corner := places.places[number]) is not None:
            parts += _box(box, corner, inner=places.inner[number])
    return "".join([*parts, "</svg>\n"])


def _is_drawn(arrow: Arrow, places: Layout) -> bool:
    """Not within an inner stream: its stages stand below their host, in order."""
    return not (places.inner[arrow.begin] or places.inner[arrow.end])


def _box(box: Box, corner: tuple[float, float], *, inner: bool) -> Iterator[str]:
    x, y = corner
    width, height = (BOX[0] - 20, INNER) if inner else BOX
    fill = FILLS.get(box.state, "#eef3fb")
    yield (
        f'<g><title>{_text(chr(10).join(box.lines))}</title><rect x="{x:g}" y="{y:g}" '
        f'width="{width}" height="{height}" rx="5" fill="{fill}" stroke="#667"/>'
    )
    lines = box.lines[: 1 if inner else MOST_LINES]
    first = y + height / 2 - 7 * (len(lines) - 1) + 4
    for number, line in enumerate(lines):
        weight = ' font-weight="bold"' if number == 0 else ' fill="#445"'
        at = first + 14 * number
        yield f'<text x="{x + 8:g}" y="{at:g}"{weight}>{_text(_cut(line))}</text>'
    yield "</g>\n"


def _arrow(arrow: Arrow, places: Layout) -> str:
    begin, end = places.places[arrow.begin], places.places[arrow.end]
    assert begin is not None
    assert end is not None
    x, y = begin[0] + BOX[0], begin[1] + BOX[1] / 2
    to_x, to_y = end[0], end[1] + BOX[1] / 2
    if to_x > x:
        half = (x + to_x) / 2
        path = f"M{x:g},{y:g} C{half:g},{y:g} {half:g},{to_y:g} {to_x:g},{to_y:g}"
        at_x, at_y = half, (y + to_y) / 2 - 5
    else:  # back to an earlier column, below all boxes
        low = places.height - 10
        turn, back = f"C{x + 45:g},{y:g} {x + 45:g},{low:g}", f"{to_x - 24:g},{low:g}"
        path = f"M{x:g},{y:g} {turn} {x:g},{low:g} L{to_x:g},{low:g} C{back} "
        path += f"{to_x - 24:g},{to_y:g} {to_x:g},{to_y:g}"
        at_x, at_y = (x + to_x) / 2, low - 2
    line = f'<path d="{path}" fill="none" stroke="#667" marker-end="url(#tip)"/>'
    if not arrow.label:
        return line + "\n"
    label = _text(_cut(arrow.label))
    return (
        f'{line}<text x="{at_x:g}" y="{at_y:g}" font-size="9" text-anchor="middle">{label}</text>\n'
    )


def _frame(frame: Frame) -> str:
    rect = (
        f'<rect x="{frame.x:g}" y="{frame.y:g}" width="{frame.width:g}" '
        f'height="{frame.height:g}" rx="8" fill="none" stroke="#99a" stroke-dasharray="3 3"/>\n'
    )
    if not frame.hidden:
        return rect
    x, y = frame.x + 8, frame.y + frame.height + 11
    return f'{rect}<text x="{x:g}" y="{y:g}" font-size="9">and {frame.hidden} more stages</text>\n'


def _cut(line: str) -> str:
    line = " ".join(line.split())
    return line if len(line) <= MOST_SIGNS else f"{line[: MOST_SIGNS - 1]}…"


def _text(text: str) -> str:
    return escape(_UNPRINTABLE.sub("\ufffd", text))
