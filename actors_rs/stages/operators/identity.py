"""identity: what comes goes.

in:  1 2 |
out: 1 2 |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from actors_rs.stages.linear import Operator


class Identity(Operator):
    """Passes each element on; what an empty ``Flow()`` is as a Processor."""

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return elements
