"""Elements that tell where they come from, and books of what arrived of them.

An element is (source, sequence, checksum). A ``Tally`` is what some sinks got together: nothing
from nowhere, nothing damaged, nothing doubled or out of order, and nothing missing where the
graph promises that.
"""

from __future__ import annotations

import itertools
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from actors_rs import Sink, Source

__all__ = ["Element", "Ledger", "Tally", "element", "is_intact"]

Element: TypeAlias = tuple[int, int, int]
Order: TypeAlias = Literal["strict", "weak", "none"]


def element(source: int, sequence: int) -> Element:
    """The element ``sequence`` of ``source``."""
    return source, sequence, (source * 1_000_003 ^ sequence * 2_654_435_761) & 0xFFFFFFFF


def is_intact(one: Any) -> bool:
    """Whether ``one`` is an element that some source gave."""
    if not isinstance(one, tuple) or len(one) != 3 or not isinstance(one[0], int):
        return False
    return one == element(one[0], one[1])


def by_source(one: Element) -> Hashable:
    """The elements of a source keep their order."""
    return one[0]


@dataclass
class _Book:
    """What one sink got: for each lane the sequences, in the order they came."""

    lanes: dict[Hashable, list[int]] = field(default_factory=lambda: defaultdict(list))
    inside: threading.Lock = field(default_factory=threading.Lock)


@dataclass
class Tally:
    """What some sinks get together.

    ``copies``: how often each element must come, ``None`` for once at most. ``order``: within a
    lane, in each sink; ``"weak"`` allows repetition, and any number of copies. ``last``: the last
    element of each source must come.
    """

    name: str
    copies: int | None = 1
    order: Order = "strict"
    lane: Callable[[Element], Hashable] = by_source
    last: bool = False
    faults: list[str] = field(default_factory=list)
    _books: list[_Book] = field(default_factory=list)

    def sink(self) -> Sink[Any, int]:
        """One of the sinks; it takes elements, or tuples of elements."""
        return Sink.for_each(self.taker())

    def taker(self) -> Callable[[Any], None]:
        """The same as a function."""
        book = _Book()
        self._books.append(book)

        def take(came: Any) -> None:
            if not book.inside.acquire(blocking=False):
                self.faults.append(f"{self.name}: signals overlap")
                return
            try:
                for one in (came,) if is_intact(came) else came:
                    self._take(book, one)
            finally:
                book.inside.release()

        return take

    def _take(self, book: _Book, one: Any) -> None:
        if is_intact(one):
            book.lanes[self.lane(one)].append(one[1])
            book.lanes[("source", one[0])].append(one[1])
        else:
            self.faults.append(f"{self.name}: a damaged element, {one!r}")

    def check(self, sources: dict[int, int], complete: bool) -> None:
        """Raise ``AssertionError`` unless all is well. ``sources``: how many elements each gave.

        ``complete``: the run came to its regular end.
        """
        assert not self.faults, self.faults[:5]
        for book in self._books:
            for lane, sequences in book.lanes.items():
                self._check_order(lane, sequences)
        for source, count in sources.items():
            self._check_elements(source, count, complete)

    def _check_order(self, lane: Hashable, sequences: list[int]) -> None:
        whole_source = isinstance(lane, tuple) and lane[:1] == ("source",)
        if self.order == "none" or (whole_source and self.lane is not by_source):
            return
        for earlier, later in itertools.pairwise(sequences):
            right = earlier < later or (self.order == "weak" and earlier == later)
            assert right, f"{self.name}: {later} behind {earlier} of {lane}"

    def _check_elements(self, source: int, count: int, complete: bool) -> None:
        came: Counter[int] = Counter()
        for book in self._books:
            came.update(book.lanes.get(("source", source), ()))
        strange = [n for n in came if not 0 <= n < count]
        assert not strange, f"{self.name}: source {source} never gave {strange[:5]}"
        if self.order != "weak":
            most = self.copies or 1
            doubled = [n for n, times in came.items() if times > most]
            assert not doubled, f"{self.name}: more than {most} times: {sorted(doubled)[:5]}"
        if complete and self.copies is not None:
            missing = [n for n in range(count) if came[n] < self.copies]
            assert not missing, f"{self.name}: missing of source {source}: {missing[:5]}"
        if complete and self.last and count:
            assert came[count - 1], f"{self.name}: the last of source {source} never came"


class Ledger:
    """The sources and tallies of one graph."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.sources: dict[int, int] = {}
        self.tallies: list[Tally] = []

    def source(self, count: int | None = None) -> Any:
        """One more source, of ``count`` elements."""
        number = len(self.sources)
        size = self.sources[number] = self.count if count is None else count

        def elements() -> Iterable[Element]:
            return (element(number, n) for n in range(size))

        return Source.from_iterable(elements).named(f"source {number}")

    def tally(self, name: str = "sink", **promises: Any) -> Tally:
        """One more tally; see there for what may be promised."""
        tally = Tally(name, **promises)
        self.tallies.append(tally)
        return tally

    def check(self, complete: bool) -> None:
        """Raise ``AssertionError`` unless all tallies are right."""
        for tally in self.tallies:
            tally.check(self.sources, complete)
