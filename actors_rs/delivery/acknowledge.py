"""acknowledged(ack)

in:  1 2 3 |
out: 1 2 3 |            (ack(element, outcomes) after each, once all its results are done)

Gives on what comes, each element with a token. When everything that came of an element has been
taken by a sink, filtered out or dead-lettered, ``ack`` is called. If it raises, the run fails, or
goes on with ``on_failed_ack="skip"``.

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
from typing import Any, Literal, TypeVar, get_args

from actors_rs.delivery.ack import Disposition, Tracked, Unit
from actors_rs.delivery.carrying.envelope_rules import ACKNOWLEDGING
from actors_rs.graph.checks import one_of, plain_function
from actors_rs.graph.spec import OutletRef, spec_of
from actors_rs.language.flow import Flow
from actors_rs.stages.linear import Operator
from actors_rs.texts import repr_of

__all__ = ["acknowledged"]

In = TypeVar("In")
T = TypeVar("T")
Ack = Callable[[Any, Counter[Disposition]], object]
OnFailedAck = Literal["fail", "skip"]


def acknowledged(
    flow: Flow[In, T],
    ack: Callable[[T, Counter[Disposition]], object],
    *,
    on_failed_ack: OnFailedAck = "fail",
) -> Flow[In, T]:
    """``flow``, each of its elements acknowledged with ``ack(element, outcomes)``.

    ``ack`` is called once for an element, when the stages downstream are done with all results of
    it. ``outcomes`` is a ``Counter`` with the number of results per ``Disposition``. If the run
    fails or is cancelled before, ``ack`` is not called for the element. It runs on the thread of
    the stage that was done last: one call after another for one element, but calls for different
    elements may overlap, so it must be thread-safe.

    Where ``ack`` raises, the element is not acknowledged: it is a dead letter, and counted as
    ``failed_acks`` in the snapshot of the stage. ``on_failed_ack="fail"`` (default) also ends the
    run, with a ``StageError`` whose ``__cause__`` is the exception. ``"skip"`` goes on.

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
    one_of(get_args(OnFailedAck), on_failed_ack, "acknowledged: on_failed_ack")
    spec = spec_of("acknowledged", partial(_Acknowledged, ack, on_failed_ack), flow._out)
    return Flow(OutletRef(replace(spec, envelopes=ACKNOWLEDGING)))


class _Acknowledged(Operator):
    """Each element as a unit of its own."""

    one_for_one = True

    def __init__(self, ack: Ack, on_failed_ack: OnFailedAck) -> None:
        super().__init__()
        self._ack = ack
        self._on_failed_ack = on_failed_ack
        self._failed: list[None] = []  # one for each, as ``append`` is atomic and ``+=`` is not
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
            self._failed.append(None)
            self.context.report(element, "ack raised", error)
            if self._on_failed_ack == "fail":
                self.context.abort(error)

    def details(self) -> dict[str, Any]:
        return {"failed_acks": len(self._failed)} if self._failed else {}
