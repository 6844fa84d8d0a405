"""acknowledged(ack)

in:  1 2 3 |
out: 1 2 3 |            (ack(element, outcomes) after each, once all its results are done)

Gives on what comes, each element with a token. When everything that came of an element has been
taken by a sink, filtered out or dead-lettered, ``ack`` is called.

Back-pressure: as downstream asks.
Completes: with upstream.
Fails: with upstream.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any, TypeVar

from actors_rs.delivery.ack import Disposition, Tracked, Unit
from actors_rs.delivery.carrying.envelope_rules import ACKNOWLEDGING
from actors_rs.graph.checks import plain_function
from actors_rs.graph.spec import OutletRef, spec_of
from actors_rs.language.flow import Flow
from actors_rs.stages.linear import Operator
from actors_rs.texts import repr_of

__all__ = ["acknowledged"]

In = TypeVar("In")
T = TypeVar("T")
Ack = Callable[[Any, Counter[Disposition]], object]


def acknowledged(
    flow: Flow[In, T], ack: Callable[[T, Counter[Disposition]], object]
) -> Flow[In, T]:
    """``flow``, each of its elements acknowledged with ``ack(element, outcomes)``.

    ``ack`` is called once for an element, when the stages downstream are done with all results of
    it. ``outcomes`` is a ``Counter`` with the number of results per ``Disposition``. If the run
    fails or is cancelled before, ``ack`` is not called for the element. It runs on the thread of
    the stage that was done last: one call after another for one element, but calls for different
    elements may overlap, so it must be thread-safe. An exception in it becomes a dead letter.

    Stages that cannot count results per element, for instance ``sliding`` or ``take``, are refused
    with a ``GraphError`` when the graph is built.

    >>> from actors_rs.delivery import Disposition, acknowledged
    >>> done = {}
    >>> def ack(message, outcomes):
    ...     done[message] = outcomes[Disposition.DELIVERED]
    >>> queue = acknowledged(Source.of("order 1", "order 2"), ack)
    >>> queue.map(str.upper).run(Sink.list())
    ['ORDER 1', 'ORDER 2']
    >>> done
    {'order 1': 1, 'order 2': 1}
    """
    if not isinstance(flow, Flow):
        raise TypeError(f"acknowledged: expected a Flow or Source, got {repr_of(flow)}")
    plain_function(ack, "acknowledged: ack")
    spec = spec_of("acknowledged", partial(_Acknowledged, ack), flow._out)
    return Flow(OutletRef(replace(spec, envelopes=ACKNOWLEDGING)))


class _Acknowledged(Operator):
    """Each element as a unit of its own."""

    def __init__(self, ack: Ack) -> None:
        super().__init__()
        self._ack = ack
        self._numbers = count()

    def transform(self, elements: Iterator[Any], /) -> Iterable[Tracked]:
        return map(self._tracked, elements)

    def _tracked(self, element: Any) -> Tracked:
        unit = Unit(next(self._numbers), partial(self._settled, element))
        tracked = unit.track(element)
        unit.seal()
        return tracked

    def _settled(self, element: Any, outcomes: Counter[Disposition]) -> None:
        try:
            self._ack(element, outcomes)
        except Exception as error:
            self.context.report(element, "ack raised", error)
