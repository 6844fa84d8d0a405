"""Draws a marble diagram: tapes of the inputs, the operator, tapes that come out."""

from __future__ import annotations

from html import escape

from tests.pages.marbles.played import Marble

ROW, BOX, LEFT, LETTER = 30, 26, 52, 7
"""Heights of a tape and of the operator's box, where tapes begin, and the width of a letter."""
STYLE = (
    "text{font:12px ui-monospace,monospace;text-anchor:middle;fill:#1c2333}"
    ".tape{stroke:#6b7280;stroke-width:1.5}.mark{fill:#fff;stroke:#3949ab;stroke-width:1.5}"
    ".end{stroke:#1c2333;stroke-width:2.5}.bad{stroke:#c62828;stroke-width:2.5}"
    ".box{fill:#e8eaf6;stroke:#3949ab}.name,.note{text-anchor:start}.note{fill:#6b7280}"
)


def picture(marble: Marble, call: str) -> str:
    """The diagram as SVG; ``call`` is the text in the operator's box."""
    tapes = [*marble.inputs.values(), *marble.outputs.values()]
    second = max(20, *(wide(word) for tape in tapes for word in tape.split()))
    note = marble.note or (f"downstream takes {marble.takes} s each" if marble.takes else "")
    seconds = max(len(tape.split()) for tape in tapes)
    width = max(LEFT + second * seconds + 16, LEFT + LETTER * max(len(call), len(note)) + 24)
    parts, y = [], 4
    for name, tape in marble.inputs.items():
        parts += row(name, tape, y, second, width)
        y += ROW
    parts.append(f'<rect class="box" x="6" y="{y}" width="{width - 12}" height="{BOX}" rx="4"/>')
    parts.append(f'<text x="{width / 2:g}" y="{y + 17}">{escape(call)}</text>')
    y += BOX + 4
    for name, tape in marble.outputs.items():
        parts += row(name, tape, y, second, width)
        y += ROW
    if note:
        parts.append(f'<text class="note" x="6" y="{y + 12}">{escape(note)}</text>')
        y += 18
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y + 4}" '
        f'viewBox="0 0 {width} {y + 4}"><style>{STYLE}</style>'
        f'<rect width="100%" height="100%" fill="#fff" rx="6"/>{"".join(parts)}</svg>\n'
    )


def wide(word: str) -> int:
    """The width of all signals of one second."""
    return sum(mark_width(signal) + 3 for signal in word.split(";"))


def mark_width(signal: str) -> int:
    """The width of one signal."""
    return 8 if signal in "|X-" else max(20, LETTER * len(signal) + 8)


def row(name: str, tape: str, y: int, second: int, width: int) -> list[str]:
    """One tape: its name, its line, and its signals from left to right."""
    middle = y + ROW // 2
    parts = [
        f'<text class="name" x="6" y="{middle + 4}">{escape(name)}</text>',
        f'<line class="tape" x1="{LEFT}" y1="{middle}" x2="{width - 8}" y2="{middle}"/>',
    ]
    for number, word in enumerate(tape.split()):
        x = LEFT + number * second
        for signal in word.split(";"):
            parts += mark(signal, x, middle)
            x += mark_width(signal) + 3
    return parts


def mark(signal: str, x: int, y: int) -> list[str]:
    """One signal, whose left edge is at ``x``."""
    if signal == "-":
        return []
    if signal == "|":
        return [f'<line class="end" x1="{x + 4}" y1="{y - 10}" x2="{x + 4}" y2="{y + 10}"/>']
    if signal == "X":
        return [f'<path class="bad" d="M{x} {y - 7}l12 14m0 -14l-12 14"/>']
    size = mark_width(signal)
    return [
        f'<rect class="mark" x="{x}" y="{y - 10}" width="{size}" height="20" rx="10"/>',
        f'<text x="{x + size / 2:g}" y="{y + 4}">{escape(signal)}</text>',
    ]
