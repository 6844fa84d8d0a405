"""a.zip_latest(b)

a:   1     2   3 |
b:     x     y     z |
out: (1 x) (2 x) (2 y) (3 y) |

As ``combine_latest``, but it ends like ``zip``, with the first input that does: ``zipLatest`` of
Akka Streams. The first tuple is of the first elements of all, and nothing is dropped. RxPY
has another operator of this name: it waits for a new element of every input and drops elements
that are replaced before that, here (1 x) (2 y) (3 z). Use ``zip`` instead, which drops nothing.

Back-pressure: asks every input for its window once downstream asks; each new element is one tuple.
Completes: when an input has completed and its elements were emitted; the others are cancelled.
Fails: when an input has failed, after what that input gave; the others are cancelled.
Cancels: all inputs, when downstream cancels.
"""

from __future__ import annotations

from actors_rs.stages.junctions.combine_latest import CombineLatest


class ZipLatest(CombineLatest):
    """The latest of all inlets, until the first of them ends."""

    def end_if_due(self) -> None:
        self.end_with_the_first()
