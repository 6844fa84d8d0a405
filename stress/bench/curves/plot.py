"""A curve as SVG: points that were measured, and the line of a perfect system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from xml.sax.saxutils import escape

__all__ = ["plot"]

WIDTH, HEIGHT = 520, 300
LEFT, RIGHT, TOP, BOTTOM = 68, 20, 34, 46
_HEAD = f"""<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" \
viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
"""
_PREFIXES = ((9, "G"), (6, "M"), (3, "k"))
Points = Sequence[tuple[float, float]]


class _Axis:
    """Values of at least one power of ten, from ``start`` to ``end`` of the picture."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        logs = [log10(value) for value in values]
        self.low, self.high = floor(min(logs) + 1e-9), ceil(max(logs) - 1e-9)
        self.high = max(self.high, self.low + 1)
        self._start, self._scale = start, (end - start) / (self.high - self.low)

    def at(self, value: float) -> float:
        return self._start + (log10(value) - self.low) * self._scale

    def ticks(self) -> Iterator[tuple[float, str]]:
        for power in range(self.low, self.high + 1):
            yield self.at(10.0**power), _power(power)


def _power(power: int) -> str:
    for exponent, prefix in _PREFIXES:
        if power >= exponent:
            return f"{10 ** (power - exponent)}{prefix}"
    return f"{10.0**power:g}"


def plot(title: str, x: str, y: str, measured: Points, perfect: Points) -> str:
    """The text of an SVG file; ``x`` and ``y`` say what the axes are. All values are above 0."""
    every = [*measured, *perfect]
    across = _Axis([point[0] for point in every], LEFT, WIDTH - RIGHT)
    up = _Axis([point[1] for point in every], HEIGHT - BOTTOM, TOP)
    parts = [_HEAD, _text(LEFT, 20, title, "start", ' font-weight="bold" font-size="13"')]
    parts += _grid(across, up)
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x, "middle"))
    turned = f' transform="rotate(-90 14 {HEIGHT / 2:g})"'
    parts.append(_text(14, HEIGHT / 2, y, "middle", turned))
    parts.append(_line(perfect, across, up, 'stroke="#999" stroke-dasharray="5 4"'))
    parts.append(_line(measured, across, up, 'stroke="#2456a6" stroke-width="2"'))
    for point in measured:
        at = f'cx="{across.at(point[0]):.1f}" cy="{up.at(point[1]):.1f}"'
        label = f"{point[0]:,g}: {point[1]:,.4g}"
        parts.append(f'<circle {at} r="3" fill="#2456a6"><title>{label}</title></circle>\n')
    parts += _legend()
    return "".join([*parts, "</svg>\n"])


def _grid(across: _Axis, up: _Axis) -> Iterator[str]:
    for at, label in across.ticks():
        yield f'<path d="M{at:.1f},{TOP} V{HEIGHT - BOTTOM}" stroke="#ddd"/>'
        yield _text(at, HEIGHT - BOTTOM + 15, label, "middle")
    for at, label in up.ticks():
        yield f'<path d="M{LEFT},{at:.1f} H{WIDTH - RIGHT}" stroke="#ddd"/>'
        yield _text(LEFT - 6, at + 4, label, "end")


def _legend() -> Iterator[str]:
    x = WIDTH - RIGHT - 150
    yield f'<path d="M{x},16 h24" stroke="#2456a6" stroke-width="2"/>'
    yield _text(x + 28, 20, "measured", "start")
    yield f'<path d="M{x + 88},16 h24" stroke="#999" stroke-dasharray="5 4"/>'
    yield _text(x + 116, 20, "perfect", "start")


def _line(points: Points, across: _Axis, up: _Axis, style: str) -> str:
    path = " L".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in points)
    return f'<path d="M{path}" fill="none" {style}/>\n'


def _text(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    place = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="#334"{more}'
    return f"<text {place}>{escape(text)}</text>\n"
