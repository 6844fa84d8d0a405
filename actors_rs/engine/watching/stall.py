"""Which stage waits for which, and the sentence that reports it when nothing moves.

Pure functions of a ``RunSnapshot``: they know no actor and take no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from actors_rs.engine.run.snapshot import LinkSnapshot, RunSnapshot
from actors_rs.texts import repr_of

__all__ = ["Wait", "describe", "knots", "waits"]


@dataclass(frozen=True, slots=True)
class Wait:
    """``who`` can do nothing before ``whom`` has done something; ``why`` says what, in words."""

    who: str
    whom: str
    why: str

    def __str__(self) -> str:
        return f"'{self.who}' waits for '{self.whom}' {self.why}"


def waits(snapshot: RunSnapshot) -> tuple[Wait, ...]:
    """Each link that is not closed, as a wait of one of its ends for the other.

    Downstream waits for elements it has asked for; where it asks for none, upstream waits for it.
    """
    return tuple(_wait(link) for link in snapshot.links if not link.closed)


def _wait(link: LinkSnapshot) -> Wait:
    there = f"({link.outlet} to {link.inlet}"
    if link.requested and not link.buffered:
        why = f"to give elements {there}: {link.requested} requested)"
        return Wait(link.downstream, link.upstream, why)
    held = f"{link.buffered} held" if link.buffered else "nothing requested yet"
    return Wait(link.upstream, link.downstream, f"to ask for elements {there}: {held})")


def knots(found: Sequence[Wait]) -> list[tuple[str, ...]]:
    """The circles among the waits: stages of which each waits for another one of them."""
    whom: dict[str, set[str]] = {}
    for wait in found:
        whom.setdefault(wait.who, set()).add(wait.whom)
    reached = {who: _reachable(who, whom) for who in whom}
    circles: dict[frozenset[str], None] = {}
    for who in whom:
        if who in reached[who]:
            circles[frozenset(n for n in reached[who] if who in reached.get(n, ()))] = None
    return [tuple(sorted(circle)) for circle in circles]


def _reachable(start: str, whom: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    to_see = list(whom.get(start, ()))
    while to_see:
        name = to_see.pop()
        if name not in reached:
            reached.add(name)
            to_see.extend(whom.get(name, ()))
    return reached


def describe(snapshot: RunSnapshot) -> str:
    """Which stage waits for which; stages that wait for each other in a circle come first."""
    found = waits(snapshot)
    circles = knots(found)
    tied = {name for circle in circles for name in circle}
    ordered = sorted(found, key=lambda wait: not (wait.who in tied and wait.whom in tied))
    head = "".join(f"{', '.join(map(repr_of, c))} wait for each other; " for c in circles)
    return head + "; ".join(map(str, ordered))
