"""divert_to(sink, when)

in:   1 2 3 4 |
out:  2 4 |
sink: 1 3 |             (odd)

Elements for which ``when`` is true go to a sink instead. The main stream is what counts: when it
has had enough, the sink completes with what it has got.

Back-pressure: asks upstream once one of them asks; an element whose receiver does not ask waits,
  and later ones wait too.
Completes: both, when the input has completed and all of it was given; the sink also when
  downstream cancels.
Fails: both, when ``when`` raises; when the input has failed, after what it gave; or when a stage
  after one of them has failed.
Cancels: upstream, when downstream cancels. Elements for a sink that has cancelled are dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.stages.junctions.partition import Partition
from actors_rs.stages.stage import Budget


class DivertTo(Partition):
    """Outlet 0 leads on, outlet 1 to the sink."""

    def __init__(self, when: Callable[[Any], object]) -> None:
        super().__init__(2, lambda element: 1 if when(element) else 0)

    def advance(self, budget: Budget) -> None:
        main = self.outlets[0]
        if main.cancelled:
            self.end(main.cause)
        super().advance(budget)
