"""Which inner streams run inline, and their counters: names, failures, figures.

A stage is an actor of its own so that it may wait or compute while others go on. So a stream is
inline only where that makes no difference:

- at most one of its stages runs code of the user, and the host runs no other stream;
- no stage runs code of the user;
- the user has fused them, and the source does not block.

Streams in sections never run inline, since a section observes each stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.engine.failure import note_failed
from actors_rs.engine.inner.inner_links import shown_name
from actors_rs.errors import StageError
from actors_rs.graph.names import unique_names
from actors_rs.graph.spec import PLAIN, StageSpec
from actors_rs.stages.inner.inline import InlineStream
from actors_rs.stages.iterators import close
from actors_rs.stages.sources.of import SequenceSource
from actors_rs.stages.stage import Stream

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage
    from actors_rs.engine.inner.totals import InnerTotals
    from actors_rs.engine.run.scope import RunScope

__all__ = ["InlineStreams"]

MOST_STAGES = 8
"""A longer chain is not looked at to its end."""
_RUNS_CODE: dict[Any, bool | None] = {}
"""Class of logics -> whether it runs code of the user; ``None`` if it is no step of a stream."""


@dataclass(slots=True)
class _Failed:
    """A stage of an inline stream, as the code that records its failure sees it."""

    name: str
    site: str


class InlineStreams:
    """Makes the streams of one host, in its turns."""

    __slots__ = ("_host", "_scope", "_totals")

    def __init__(self, host: RunningStage, scope: RunScope) -> None:
        self._host = host
        self._scope = scope
        self._totals: InnerTotals | None = None

    def begin(self, source: Stream, alone: bool, /) -> InlineStream | Sequence[Any] | None:
        end: StageSpec = source._out.spec  # type: ignore[attr-defined]  # a Flow's
        make: Any = end.make
        if type(make) is not partial:
            return None
        if make.func is SequenceSource:
            return make.args[0]  # type: ignore[no-any-return]
        scope = self._scope
        if scope.draining:
            return None  # nothing from outside any more; the ordinary way sees to that
        stages = _chain(end, alone)
        if stages is None:
            return None
        stream = InlineStream(stages, scope.next_inner())
        elements: Any = None
        for number, spec in enumerate(stages):
            make = spec.make
            elements = make.func.inline(elements, stream, number, *make.args)
        stream.elements = elements
        return stream

    def ended(self, stream: InlineStream, /) -> None:
        if stream.opened is not None:
            self._close(stream)
        if self._totals is None:
            self._totals = self._scope.totals_of_inline()
        self._totals.add_inline(stream, stream.stages, shown_name(self._host))

    def failed(self, stream: InlineStream, error: Exception, /) -> BaseException:
        cause = stream.error = error if stream.error is None else stream.error
        name, position, site = self._named(stream, stream.at_fault)
        failed = note_failed(self._scope, _Failed(name, site), cause, position)
        self.ended(stream)
        return failed

    def close(self) -> None:
        if self._totals is not None:
            self._scope.inline_ended(self._totals)
            self._totals = None

    @property
    def draining(self) -> bool:
        return self._scope.draining

    def _close(self, stream: InlineStream) -> None:
        try:
            close(stream.opened)
        except BaseException as failure:  # after any exception the run must end
            name, _, site = self._named(stream, 0)
            failed = StageError(name, failure, None, site)
            note_failed(self._scope, _Failed(name, site), failed)

    def _named(self, stream: InlineStream, step: int) -> tuple[str, int, str]:
        """The name, the number of the element and the line for a ``StageError`` of ``step``."""
        position = stream.out_of(step - 1) - 1 if step else stream.out_of(0)
        spec: StageSpec = stream.stages[step]
        name = unique_names(one.label for one in stream.stages)[step]
        return f"{name}#{stream.number}", position, spec.site or self._host.site


def _chain(end: StageSpec, alone: bool) -> list[StageSpec] | None:
    """The stages from the source to ``end``; ``None`` if one of them cannot run inline."""
    stages = []
    running = 0  # stages that run code of the user's
    spec = end
    while True:
        runs_code = _runs_code(spec)
        if runs_code is None:
            return None
        running += runs_code
        stages.append(spec)
        inputs = spec.inputs
        if not inputs:
            if runs_code and not alone:
                return None  # it may block, and the host has others to see to
            break
        if len(inputs) != 1 or len(stages) == MOST_STAGES:
            return None
        spec = inputs[0].spec
    if running > alone and not _is_fused(stages):
        return None
    stages.reverse()
    return stages


def _is_fused(stages: Sequence[StageSpec]) -> bool:
    """Whether one ``fuse()`` covers all of them."""
    fuse = stages[0].fuse
    return fuse is not None and all(spec.fuse is fuse for spec in stages)


def _runs_code(spec: StageSpec) -> bool | None:
    """Whether this stage of a stream runs code of the user's; ``None`` if it cannot run inline."""
    make: Any = spec.make
    if type(make) is not partial or spec.attributes is not PLAIN:
        return None
    if spec.outlets != 1 or spec.envelopes is not None:
        return None
    logic: Any = make.func
    if logic not in _RUNS_CODE:
        own = vars(logic) if isinstance(logic, type) else {}  # not what it inherits: it differs
        _RUNS_CODE[logic] = not logic.never_waits if "inline" in own else None
    return _RUNS_CODE[logic]
