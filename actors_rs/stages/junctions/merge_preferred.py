"""a.merge_preferred(b)

a:     1   2 |
b:   8   9     7 |
out: 8 1 9 2   7 |

As ``merge``, but ready elements of the first input go first. The others get their turn only while
it has nothing ready: a first input that always has an element ready starves them.

Back-pressure: asks every input for its window once downstream asks; gives only what was asked for.
Completes: when all inputs have completed and what they gave was delivered.
Fails: when an input has failed, after what that input gave; the others are cancelled.
Cancels: all inputs, when downstream cancels.
"""

from __future__ import annotations

from actors_rs.stages.junctions.merge import Merge


class MergePreferred(Merge):
    """Elements of all inlets, the first inlet's before the others'."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.preferred = (self.inlets[0],)
