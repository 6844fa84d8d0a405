"""What the stages of ended inner streams did, added up.

A run may start a million inner streams. It lets go of each when it has ended and keeps one line of
figures for each kind of stage, of which there are few.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from actors_rs.graph.snapshot import RunSnapshot, StageSnapshot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from actors_rs.graph.blueprint import StageSpec
    from actors_rs.graph.nest import Nested
    from actors_rs.graph.shell import StageActor
    from actors_rs.stages.drawn import Drawn

__all__ = ["InnerTotals"]


BOOKS = ("dropped", "conflated", "added")
"""Among the ``details`` of a stage: what has to be known to make its elements in and out agree."""


class _Kind:
    """The sums of one kind of stage."""

    __slots__ = (
        "books",
        "elements_in",
        "elements_out",
        "failed",
        "letters",
        "restarted",
        "resumed",
        "stages",
    )

    def __init__(self) -> None:
        self.stages = self.failed = self.elements_in = self.elements_out = 0
        self.resumed = self.restarted = self.letters = 0
        self.books = dict.fromkeys(BOOKS, 0)

    def add_books(self, books: Mapping[str, int]) -> None:
        for name in BOOKS:
            self.books[name] += books.get(name, 0)


class InnerTotals:
    """Sums by kind of stage. Whoever adds holds the run's lock; reading needs none."""

    def __init__(self) -> None:
        self._kinds: dict[str, _Kind] = {}

    def add(self, stage: StageActor | Nested) -> None:
        """``stage`` has ended."""
        sums = self._kinds.setdefault(stage.kind, _Kind())
        sums.stages += 1
        sums.failed += stage.error is not None
        sums.elements_in += sum(inlet.count for inlet in stage.logic.inlets)
        sums.elements_out += sum(outlet.count for outlet in stage.logic.outlets)
        sums.resumed += stage.resumed
        sums.restarted += stage.restarted
        sums.letters += stage.dead_letters
        sums.add_books(stage.logic.details())

    def add_drawn(self, stream: Drawn, stages: Sequence[StageSpec]) -> None:
        """``stream`` has ended, which consisted of ``stages``: perhaps several steps are the last.

        Called by its host, the only one that adds to these sums.
        """
        kinds, came, given = self._kinds, 0, stream.given
        last = stages[-1]
        for number, spec in enumerate(stages):
            gave = given if spec is last else stream.out_of(number)
            try:
                sums = kinds[spec.kind]
            except KeyError:
                sums = kinds[spec.kind] = _Kind()
            sums.stages += 1
            sums.elements_in += came
            sums.elements_out += gave
            came = gave
        if stream.error is not None:
            kinds[stages[min(stream.at_fault, len(stages) - 1)].kind].failed += 1

    def add_all(self, other: InnerTotals) -> None:
        """What ``other`` holds."""
        for kind, more in other._kinds.copy().items():
            sums = self._kinds.setdefault(kind, _Kind())
            sums.stages += more.stages
            sums.failed += more.failed
            sums.elements_in += more.elements_in
            sums.elements_out += more.elements_out
            sums.resumed += more.resumed
            sums.restarted += more.restarted
            sums.letters += more.letters
            sums.add_books(more.books)

    def added_to(self, snapshot: RunSnapshot) -> RunSnapshot:
        """``snapshot`` with a line for each kind, named ``range (ended)`` for instance."""
        if not self._kinds:
            return snapshot
        lines = [_line(kind, sums) for kind, sums in self._kinds.copy().items()]
        return replace(snapshot, stages=(*snapshot.stages, *lines))


def _line(kind: str, sums: _Kind) -> StageSnapshot:
    books = {name: sums.books[name] for name in BOOKS if sums.books[name]}
    return StageSnapshot(
        name=f"{kind} (ended)",
        kind=kind,
        state="ended",
        elements_in=sums.elements_in,
        elements_out=sums.elements_out,
        demand=0,
        requested=0,
        buffered=0,
        window=0,
        mailbox=0,
        busy=0.0,
        idle=1.0,
        back_pressured=0.0,
        details={"stages": sums.stages, "failed": sums.failed, **books},
        resumed=sums.resumed,
        restarted=sums.restarted,
        dead_letters=sums.letters,
    )
