"""contains(2)

in:  1 2 3 |
out:   True |       (upstream is cancelled at the 2)

Gives True as soon as an element is the value or equal to it, else False at the end.

Back-pressure: takes everything once an element is demanded, and gives one.
Completes: after its answer.
Fails: when upstream fails before the answer is known, or a comparison raises.
Cancels: upstream, as soon as the value was found or when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from actors_rs.stages.prologue_epilogue import Folding


class Contains(Folding):
    """Whether ``value`` is among the elements, as ``in`` says."""

    never_waits = True

    def __init__(self, value: object) -> None:
        super().__init__()
        self._value = value

    def consume(self, elements: Iterator[Any], out: list[Any], /) -> None:
        if self._value in elements:
            out.append(True)
            self.satisfied = True

    def result(self) -> bool:
        return False
