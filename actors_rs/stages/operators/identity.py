"""identity: emits each element unchanged.

in:  1 2 |
out: 1 2 |

Gives each element as it is; what an empty flow is between foreign peers.

Back-pressure: asks for its window, as far as downstream asks.
Completes: with upstream, after what came of its elements.
Fails: with upstream, after what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from actors_rs.stages.linear import Operator
from actors_rs.stages.ports import Frame


class Identity(Operator):
    """Passes each element on; what an empty ``Flow()`` is as a Processor."""

    never_waits = True
    one_for_one = True

    def _pass_on(self, frame: Frame) -> int:
        self.outlet.emit(frame)
        return len(frame)

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return elements
