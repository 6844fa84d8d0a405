"""A rule of the standard, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["MONITOR", "Level", "Rule", "Side"]

Side = Literal["Publisher", "Subscriber", "Subscription", "Processor"]
"""Whom the standard lists a rule under."""

Level = Literal["MUST", "SHOULD", "MAY"]
"""How strongly a rule binds, by the first such word in it (required counts as MUST, recommended as
SHOULD)."""

MONITOR = "monitor"
"""As one of a rule's checks: a ``RuleMonitor`` on the link sees it broken, on any link."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of Reactive Streams 1.0.3, told in our own words.

    ``how`` says by what it is kept or checked here, or why it cannot be checked. ``checks`` are
    the places: ``MONITOR``, or a test as ``file::name``; none for what nothing can observe.
    """

    id: str
    side: Side
    level: Level
    text: str
    intent: str
    how: str
    checks: tuple[str, ...] = ()
