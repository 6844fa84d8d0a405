"""Grouping: the sessions of each visitor, while the log is still being written.

    python examples/group_by.py 2000

A log has the steps of many visitors, one among the other. Each visitor is a stream of its own, in
which a purchase ends the session and anything later is another one. At most so many visitors are
followed at a time: whoever has been quiet for longest makes room, and is a new visitor when seen
again. The sums by country at the end are groups as well, folded within the stage that merges them.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from actors_rs import Graph, Group, Sink, Source

VISITORS = 97
FOLLOWED = 60
COUNTRIES = ("at", "de", "fi")


@dataclass(frozen=True)
class Step:
    """A line of the log."""

    visitor: int
    page: str
    spent: int = 0


@dataclass(frozen=True)
class Session:
    """What one visitor did until a purchase, or until the last step."""

    visitor: int
    pages: int
    spent: int

    @property
    def country(self) -> str:
        """Where the visitor lives."""
        return COUNTRIES[self.visitor % len(COUNTRIES)]


def log(count: int) -> Iterator[Step]:
    """``count`` steps; every seventh of a visitor is a purchase."""
    for number in range(count):
        visitor = number * 31 % VISITORS
        bought = number // VISITORS % 7 == 6
        yield Step(visitor, "pay", visitor + 1) if bought else Step(visitor, "look")


def sessions(steps: Iterable[Step]) -> Iterator[Session]:
    """The sessions of one visitor."""
    pages = 0
    visitor: int | None = None
    for step in steps:
        visitor, pages = step.visitor, pages + 1
        if step.spent:
            yield Session(visitor, pages, step.spent)
            pages = 0
    if pages and visitor is not None:
        yield Session(visitor, pages, 0)


def together(seen: list[Step], step: Step) -> list[Step]:
    """All steps so far."""
    return [*seen, step]


def of_one_visitor(steps: Group[int, Step]) -> Source[Session]:
    """A stream of the visitor's sessions, from the stream of the visitor's steps."""
    begin: list[Step] = []
    return steps.reduce(begin, together).flat_map(sessions)


def of_one_country(found: Group[str, Session]) -> Source[tuple[str, int]]:
    """The country and what was spent there."""
    total: Source[int] = found.map(lambda session: session.spent).sum()
    return total.map(lambda spent: (found.key, spent)).fuse()


def graph(count: int) -> Graph[list[tuple[str, int]]]:
    """From the log to what was spent in each country."""
    return (
        Source.from_iterable(lambda: log(count))
        .group_by(lambda step: step.visitor, FOLLOWED, on_overflow="evict_idle")
        .flat_map(of_one_visitor, breadth=10 * FOLLOWED)
        .group_by(lambda session: session.country, len(COUNTRIES))
        .flat_map(of_one_country, breadth=len(COUNTRIES))
        .to(Sink.list())
    )


def main(count: int) -> None:
    """Print what was spent in each country."""
    for country, spent in sorted(graph(count).run()):
        print(f"{country}: {spent}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
