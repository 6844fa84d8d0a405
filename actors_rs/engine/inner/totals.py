"""The figures of ended inner streams, added up.

A run may start a million inner streams. It releases each one when it has ended and keeps one row of
figures for each kind of stage. There are few kinds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from actors_rs.engine.inner.inner_links import name_when_ended
from actors_rs.engine.run.observing import details_of, elements_of
from actors_rs.engine.run.snapshot import LinkSnapshot, RunSnapshot, StageSnapshot
from actors_rs.stages.chunks.dropped import pour

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from actors_rs.engine.contract import RunningStage
    from actors_rs.engine.inner.inner_links import InnerLinks
    from actors_rs.graph.spec import StageSpec
    from actors_rs.stages.inner.inline import InlineStream
    from actors_rs.stages.ports import Inlet
    from actors_rs.stages.stage import StageLogic

__all__ = ["InnerTotals"]


BOOKS = ("dropped", "conflated", "added", "undelivered", "cut", "not_begun")
"""The ``details`` that are summed. The first four count elements that came in and did not go out.
``cut`` counts streams that a drain cut, ``not_begun`` the streams among them without an element."""
FEW = 64
"""Numbers that are kept before they are added up."""


class _Kind:
    """The sums of one kind of stage."""

    __slots__ = (
        "books",
        "elements_in",
        "elements_out",
        "failed",
        "fed",
        "fed_by",
        "inner",
        "letters",
        "name",
        "restarted",
        "resumed",
        "stages",
        "started_by",
        "unwanted",
    )

    def __init__(self, kind: str) -> None:
        self.name = name_when_ended(kind)
        self.stages = self.failed = self.elements_in = self.elements_out = self.inner = 0
        self.resumed = self.restarted = self.letters = 0
        self.books = dict.fromkeys(BOOKS, 0)
        self.unwanted: list[int] = []  # numbers of elements; what comes late adds to it by itself
        self.started_by: dict[str, None] = {}
        self.fed_by: dict[str, int] = {}  # how many elements each has given
        self.fed: dict[str, int] = {}  # how many were given to each host

    def add_books(self, books: Mapping[str, int]) -> None:
        for name in BOOKS:
            self.books[name] += books.get(name, 0)

    def add_unwanted(self, inlets: Iterable[Inlet]) -> None:
        for inlet in inlets:
            inlet.count_dropped_in(self.unwanted)
        if len(self.unwanted) > FEW:
            self.unwanted.append(pour(self.unwanted))

    def add_links(self, links: InnerLinks, logic: StageLogic) -> None:
        feeders, end = links.fed_by, links.end
        for feeder, inlet in zip(feeders, logic.inlets, strict=False):  # inner ones come last
            self.fed_by[feeder] = self.fed_by.get(feeder, 0) + inlet.count
        if not feeders:
            self.started_by[links.host] = None
        if end is not None:
            host = links.host
            self.fed[host] = self.fed.get(host, 0) + logic.outlets[end].count


class InnerTotals:
    """Sums by kind of stage. Hold the run's lock to add; reading needs none."""

    def __init__(self) -> None:
        self._kinds: dict[str, _Kind] = {}

    def _of(self, kind: str) -> _Kind:
        if (sums := self._kinds.get(kind)) is None:
            sums = self._kinds.setdefault(kind, _Kind(kind))
        return sums

    def add(self, stage: RunningStage) -> None:
        """``stage`` has ended."""
        sums = self._of(stage.kind)
        sums.stages += 1
        sums.failed += stage.error is not None
        came, went, inner = elements_of(stage.logic)
        sums.elements_in += came
        sums.elements_out += went
        sums.inner += inner
        sums.resumed += stage.resumed
        sums.restarted += stage.restarted
        sums.letters += stage.dead_letters
        sums.add_books(details := details_of(stage))
        sums.unwanted.append(details.get("unwanted", 0))
        sums.add_unwanted(stage.logic.inlets)
        if (links := stage.inner_links) is not None:
            sums.add_links(links, stage.logic)

    def add_inline(self, stream: InlineStream, stages: Sequence[StageSpec], host: str) -> None:
        """``stream`` has ended, which consisted of ``stages``.

        Called by its ``host``, the only one that adds to these sums.
        """
        kinds, came, given, before = self._kinds, 0, stream.given, ""
        last = stages[-1]
        for number, spec in enumerate(stages):
            gave = given if spec is last else stream.out_of(number)
            try:
                sums = kinds[spec.kind]
            except KeyError:
                sums = self._of(spec.kind)
            sums.stages += 1
            sums.elements_in += came
            sums.elements_out += gave
            if before:
                sums.fed_by[before] = sums.fed_by.get(before, 0) + came
            else:
                sums.started_by[host] = None
            if spec is last:
                sums.fed[host] = sums.fed.get(host, 0) + given
            came, before = gave, sums.name
        books = kinds[stages[0].kind].books
        books["cut"] += stream.was_cut
        books["not_begun"] += stream.was_cut and not stream.out_of(0)
        if stream.error is not None:
            kinds[stages[stream.at_fault].kind].failed += 1

    def add_all(self, other: InnerTotals) -> None:
        """What ``other`` holds."""
        for kind, more in other._kinds.copy().items():
            sums = self._of(kind)
            sums.stages += more.stages
            sums.failed += more.failed
            sums.elements_in += more.elements_in
            sums.elements_out += more.elements_out
            sums.resumed += more.resumed
            sums.restarted += more.restarted
            sums.letters += more.letters
            sums.inner += more.inner
            sums.started_by |= more.started_by.copy()
            _add(sums.fed_by, more.fed_by.copy())
            _add(sums.fed, more.fed.copy())
            sums.add_books(more.books)
            sums.unwanted += more.unwanted

    def added_to(self, snapshot: RunSnapshot) -> RunSnapshot:
        """``snapshot`` with a line for each kind, named ``range (ended)`` for instance."""
        if not self._kinds:
            return snapshot
        kinds = self._kinds.copy().items()
        lines = [_line(kind, sums) for kind, sums in kinds]
        links = [link for _, sums in kinds for link in _links(sums)]
        return replace(snapshot, stages=(*snapshot.stages, *lines), links=(*snapshot.links, *links))


def _line(kind: str, sums: _Kind) -> StageSnapshot:
    books = {name: sums.books[name] for name in BOOKS if sums.books[name]}
    if unwanted := sum(sums.unwanted):
        books["unwanted"] = unwanted
    return StageSnapshot(
        name=sums.name,
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
        inner_elements=sums.inner,
        started_by=tuple(sums.started_by.copy()),
    )


def _links(sums: _Kind) -> Iterator[LinkSnapshot]:
    """What fed the ended stages of a kind, and the hosts that they fed."""
    name = sums.name
    for feeder, elements in sums.fed_by.copy().items():
        yield LinkSnapshot(feeder, "out", name, "in", elements, 0, 0, closed=True)
    for host, elements in sums.fed.copy().items():
        yield LinkSnapshot(name, "out", host, "inner", elements, 0, 0, closed=True)


def _add(sums: dict[str, int], more: Mapping[str, int]) -> None:
    for name, count in more.items():
        sums[name] = sums.get(name, 0) + count
