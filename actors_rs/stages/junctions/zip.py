"""zip(a, b)

a:   1 2 3 |
b:   x   y   z ... |
out: (1 x) (2 y) (3 z) |

Tuples of one element from each input, in order. Elements of longer inputs after the last complete
tuple are not used.

Back-pressure: asks every input for its window once downstream asks; the slowest sets the pace.
Completes: when an input has completed and all it gave is in a tuple; the others are cancelled.
Fails: when an input has failed and all it gave is in a tuple; the others are cancelled.
Cancels: all inputs, when downstream cancels.
"""

from __future__ import annotations

from actors_rs.stages.junction import FanIn
from actors_rs.stages.stage import Budget


class Zip(FanIn):
    """As many tuples at a time as every inlet has elements for."""

    def advance(self, budget: Budget) -> None:
        demand = self.look_downstream()
        if demand > 0:
            inlets = self.inlets
            count = min(demand, *[inlet.buffered for inlet in inlets])
            if count > 0:
                columns = [inlet.gather(count) for inlet in inlets]
                self.outlet.emit(list(zip(*columns, strict=True)))
        self.end_with_the_first()
