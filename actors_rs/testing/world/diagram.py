"""The last deliveries of a run as a sequence diagram in plain text: a column an actor."""

from __future__ import annotations

from collections.abc import Sequence

from actors_rs.testing.world.log import Delivery

__all__ = ["sequence_diagram"]

WIDEST_NAME = 14
LONGEST_MESSAGE = 48


def sequence_diagram(deliveries: Sequence[Delivery]) -> list[str]:
    """A line for the names, then a line for each delivery: an arrow, and the message after it."""
    names = list(dict.fromkeys(name for one in deliveries for name in (one.sender, one.receiver)))
    if not names:
        return ["(nothing was delivered)"]
    shown = [_cut(name, WIDEST_NAME) for name in names]
    width = max(len(name) for name in shown) + 2
    head = "step  " + "".join(name.center(width) for name in shown)
    return [head.rstrip(), *(_line(one, names, width) for one in deliveries)]


def _line(one: Delivery, names: Sequence[str], width: int) -> str:
    start, end = names.index(one.sender), names.index(one.receiver)
    cells = list("".join("|".center(width) for _ in names))
    middle = [index * width + (width - 1) // 2 for index in range(len(names))]
    left, right = sorted((middle[start], middle[end]))
    for at in range(left + 1, right):
        cells[at] = "-"
    if start == end:
        cells[middle[end]] = "@"
    elif end > start:
        cells[middle[end] - 1] = ">"
    else:
        cells[middle[end] + 1] = "<"
    return f"{one.step:>4}  {''.join(cells)} {_cut(one.message, LONGEST_MESSAGE)}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
