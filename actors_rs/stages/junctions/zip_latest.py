"""a.zip_latest(b)

a:   1     2   3 |
b:     x     y     z |
out: (1 x) (2 x) (2 y) (3 y) |

As ``combine_latest``, but it ends like ``zip``, with the first input that does. The first tuple is
of the first elements of all, where Rx has the latest of the quicker inputs: nothing is dropped.

Back-pressure: asks every input for its window once downstream asks; each new element is one tuple.
Completes: when an input has completed and what it gave was delivered; the others are cancelled.
Fails: when an input has failed, behind what that input gave; the others are cancelled.
Cancels: all inputs, when downstream cancels.
"""

from __future__ import annotations

from actors_rs.stages.junctions.combine_latest import CombineLatest


class ZipLatest(CombineLatest):
    """The latest of all inlets, until the first of them ends."""

    def end_if_due(self) -> None:
        self.end_with_the_first()
