"""Tables of three parameters in which every two choices meet, and not every three."""

from collections.abc import Iterable
from typing import Any


def every_two(one: Iterable[Any], two: Iterable[Any], three: Iterable[Any]) -> list[Any]:
    """Rows of three choices; of the parameters, give the one with the fewest choices last."""
    ones, twos, threes = (list(choices) for choices in (one, two, three))
    assert len(threes) <= min(len(ones), len(twos)), "two choices would never meet"
    return [
        (a, b, threes[(first + second) % len(threes)])
        for first, a in enumerate(ones)
        for second, b in enumerate(twos)
    ]
