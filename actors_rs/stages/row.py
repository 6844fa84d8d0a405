"""Rows: a ``Line`` whose parts stay stages of their own to everybody outside.

Nobody asked for it, so nobody shall notice: each part has the name, the figures and the dead
letters that it would have as an actor of its own, and within the row there is no more than the
links it replaces would hold together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from actors_rs.stages.edged import Folding
from actors_rs.stages.line import LARGEST, Line, LineContext, LinePart, SinkLine
from actors_rs.stages.linear import Operator, SinkLogic
from actors_rs.stages.part_context import PartContext
from actors_rs.stages.stage import StageLogic

__all__ = ["Row", "RowPart", "SinkRow"]


class RowPart(LinePart):
    """One stage of the row; ``kind`` is what it is called in figures."""

    __slots__ = ("kind",)

    def __init__(self, name: str, kind: str, site: str, logic: StageLogic) -> None:
        super().__init__(name, site, logic, None)
        self.kind = kind

    @property
    def failure(self) -> BaseException | None:
        """What it has failed with itself."""
        context: PartContext | None = getattr(self, "context", None)  # it has one when it begins
        return None if context is None else context.failure


class _Context(LineContext):
    def report(self, what: object, why: str, error: BaseException | None = None, /) -> None:
        self._context.report_at(self.name, what, why, error)


class Row(Line):
    """``parts``, of which one at most calls code of the user's: the ``lead``."""

    def __init__(self, parts: Sequence[RowPart]) -> None:
        super().__init__(parts)
        self.parts = tuple(parts)
        self.lead = next((part for part in parts if part.logic.runs_code), parts[-1])
        """Who the time of all is told of."""

    def context_of(self, part: LinePart) -> PartContext:
        return _Context(self, part)

    def set_windows(self) -> None:
        """They are as they were, but where it costs nothing: then pieces may be larger."""
        *_, before, last = (part.logic for part in self.parts)
        has_sink = isinstance(last, SinkLogic)
        if has_sink:  # it takes what comes at once, so there is one piece in the row at a time
            self._links[-1].window *= len(self._links)
            if isinstance(before, Operator):
                before.within_demand = True
        second = self.parts[1].logic
        takes_all = isinstance(second, Folding | SinkLogic) or (has_sink and second is before)
        if not self.inlets and takes_all:
            self._links[0].window = LARGEST  # what a source gives exists, or is not made yet

    def details(self) -> dict[str, Any]:
        return {}  # each part has its own


class SinkRow(Row, SinkLine):
    """A row whose last part is a sink."""
