"""What every benchmark is measured with.

Contestants run in turn, A B A B, in one process, so a slow phase of the machine hits all of them.
The medians over the rounds are compared. Nothing here knows a particular benchmark.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import isnan, nan
from statistics import median
from time import perf_counter
from typing import Any, Literal

__all__ = [
    "NOT_MEASURED",
    "Contestant",
    "Figure",
    "Goal",
    "at_least",
    "at_most",
    "count",
    "in_turn",
    "rate",
    "ratio",
]

NOT_MEASURED = nan
"""The value of a figure that could not be measured; ``theirs`` says why."""


@dataclass(frozen=True, slots=True)
class Goal:
    """The bound that a figure must keep."""

    relation: Literal[">=", "<="]
    value: float

    def __str__(self) -> str:
        return f"{self.relation} {self.value:,g}"

    def met_by(self, value: float) -> bool:
        """Whether ``value`` reaches the goal."""
        return value >= self.value if self.relation == ">=" else value <= self.value


def at_least(value: float) -> Goal:
    """Larger is better."""
    return Goal(">=", value)


def at_most(value: float) -> Goal:
    """Smaller is better."""
    return Goal("<=", value)


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the result.

    ``ours`` and ``theirs`` are for reading, ``value`` (in ``unit``, or a plain ratio) is compared
    with ``goal``; without a goal the figure is information.
    """

    what: str
    against: str
    ours: str
    theirs: str
    value: float
    unit: str = ""
    goal: Goal | None = None

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; ``None`` without one."""
        return None if self.goal is None else self.goal.met_by(self.value)

    def shown(self) -> str:
        """The value with its unit; nothing if it was not measured."""
        if isnan(self.value):
            return ""
        digits = f"{self.value:,.0f}" if abs(self.value) >= 100 else f"{self.value:,.2f}"
        return f"{digits} {self.unit}".strip()

    def as_data(self) -> dict[str, Any]:
        """A figure as data for JSON."""
        value = None if isnan(self.value) else self.value
        return {
            **asdict(self),
            "value": value,
            "goal": self.goal and str(self.goal),
            "met": self.met,
        }


Contestant = tuple[Callable[[], object], int]
"""Something to run, and the number of elements that one run of it handles."""


def in_turn(
    rounds: int,
    contestants: Sequence[Contestant],
    clock: Callable[[], float] = perf_counter,
    warm_up: int = 1,
) -> list[list[float]]:
    """Run the contestants in turn, after ``warm_up`` rounds; seconds per element, per round.

    The garbage of one run is collected before the next, so that none pays for another's, nor for
    what there was before all of them.
    """
    seconds: list[list[float]] = [[] for _ in contestants]
    gc.collect()
    gc.freeze()
    for number in range(warm_up + rounds):
        for (run, elements), taken in zip(contestants, seconds, strict=True):
            gc.collect()
            began = clock()
            run()
            if number >= warm_up:
                taken.append((clock() - began) / elements)
    gc.unfreeze()
    return seconds


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """How many times as fast as theirs ours is: above 1 if ours takes less time."""
    return median(theirs) / median(ours)


def rate(seconds: Sequence[float]) -> str:
    """Seconds per element as a rate for reading."""
    per_second = 1 / median(seconds)
    for size, unit in ((1e6, "M/s"), (1e3, "k/s")):
        if per_second >= size:
            return f"{per_second / size:.2f} {unit}"
    return f"{per_second:.1f} /s"


def count(scale: float, most: int, least: int = 10) -> int:
    """``most`` elements at scale 1, fewer at a smaller scale."""
    return max(least, int(most * scale))
