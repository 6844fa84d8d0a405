"""Where upstream and downstream have different rates: methods of ``Flow``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, TypeVar, get_args

from actors_rs.graph.checks import at_least, flag, function, one_of, wrong_value
from actors_rs.language.methods.chain import FRESH, Chain
from actors_rs.stages.operators.buffer import Buffer, Overflow
from actors_rs.stages.operators.conflate import Conflate
from actors_rs.stages.operators.expand import Expand
from actors_rs.stages.passing import Buffered

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["RateMatching"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
R = TypeVar("R")

BEHIND_A_BUFFER = 16
"""The next window after a buffer that drops: elements in a larger one could not be dropped."""


class RateMatching(Chain[In_contra, Out_co]):
    """Operators between a fast side and a slow one."""

    def buffer(
        self, n: int, overflow: Overflow = "backpressure", *, dead_letters: bool = False
    ) -> Flow[In_contra, Out_co]:
        """Up to ``n`` elements wait for downstream; ``overflow`` says what happens to more.

        - ``"backpressure"`` (default): upstream waits.
        - ``"drop_oldest"``, ``"drop_newest"`` (the one that came), ``"drop_all"`` (that are held):
          the stage's ``details`` count them, and with ``dead_letters`` they are dead letters, too.
        - ``"fail"``: the stream fails with ``BufferOverflowError``, after the held elements.

        >>> Source.of(1, 2, 3).buffer(64).run(Sink.list())
        [1, 2, 3]
        """
        at_least(1, n, "buffer: n")
        one_of(get_args(Overflow), overflow, "buffer: overflow")
        flag(dead_letters, "buffer: dead_letters")
        if overflow == "backpressure":
            if dead_letters:
                raise wrong_value(
                    "buffer: dead_letters needs an overflow that drops elements, got 'backpressure'"
                )
            return self.then("buffer", Buffered).with_attributes(window=n)
        make = partial(Buffer, n, overflow, dead_letters)
        return self.then("buffer", make, BEHIND_A_BUFFER, holds=n)

    def conflate(
        self, seed: Callable[[Out_co], R], f: Callable[[R, Out_co], R]
    ) -> Flow[In_contra, R]:
        """Elements that come while downstream does not ask, put together into one element.

        That is ``seed(element)`` for the first and ``f(accumulated, element)`` for each further
        one. Upstream never waits.

        >>> prices = Source.of(3, 8, 5).conflate(lambda price: price, max)
        >>> prices.run(Sink.fold(0, max))
        8
        """
        function(seed, "conflate: seed")
        function(f, "conflate: f")
        return self.then("conflate", partial(Conflate, seed, f), FRESH, holds=1)

    def expand(self, f: Callable[[Out_co], Iterable[R]]) -> Flow[In_contra, R]:
        """Values of ``f(element)`` for as long as no newer element comes, at least one of each.

        ``f`` may return an iterator without end: ``expand(itertools.repeat)`` gives the newest
        element again and again to a downstream that is faster than upstream.

        >>> from itertools import repeat
        >>> Source.never().start_with("last").expand(repeat).take(3).run(Sink.list())
        ['last', 'last', 'last']
        """
        function(f, "expand: f")
        return self.then("expand", partial(Expand, f), FRESH)
