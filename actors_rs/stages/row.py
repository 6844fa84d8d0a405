"""Rows: a ``Line`` whose parts stay stages of their own to everybody outside.

Nobody asked for it, so nobody shall notice: each part has the name, the figures and the dead
letters that it would have as an actor of its own, and no link holds more than those of the row
would together, but for what a source gives: that exists already, or is not made yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from actors_rs.stages.edged import Folding
from actors_rs.stages.line import Line, LineContext, LinePart, SinkLine
from actors_rs.stages.linear import SinkLogic
from actors_rs.stages.pace import LARGEST
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


def _lead_of(parts: Sequence[RowPart]) -> RowPart:
    """The part that may take its time; else one that asks elements for something; else the last."""
    users = [part for part in parts if part.logic.runs_code]
    folds = [part for part in parts if isinstance(part.logic, Folding)]
    return [*users, *folds, parts[-1]][0]


class Row(Line):
    """``parts``, of which one at most calls code of the user's: the ``lead``."""

    def __init__(self, parts: Sequence[RowPart]) -> None:
        super().__init__(parts)
        self.parts = tuple(parts)
        self.lead = _lead_of(parts)
        """Who the time of all is told of."""

    def context_of(self, part: LinePart) -> PartContext:
        return _Context(self, part)

    def set_windows(self) -> None:
        """They are as they were, and larger where nothing stays: nobody waits for its next turn.

        In front of a sink that never waits there is one piece in the row at a time, so it may be as
        large as all links together. A fold that never waits takes all that there is.
        """
        links, last, second = self.links, self.parts[-1].logic, self.parts[1].logic
        if isinstance(last, SinkLogic) and not last.runs_code:
            for link in links:
                link.window *= len(links)
        if not self.inlets and isinstance(second, Folding | SinkLogic) and not second.runs_code:
            links[0].window = LARGEST  # what a source in a row gives exists, or is not made yet

    def has_left(self, part: LinePart) -> bool:
        """Whether ``part`` has ended, which the others may not have. Any thread."""
        return part not in self._living

    def details(self) -> dict[str, Any]:
        return {}  # each part has its own


class SinkRow(Row, SinkLine):
    """A row whose last part is a sink."""
