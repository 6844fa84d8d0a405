"""What the command line of pytest says about explorations, and what they have found so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from actors_rs.testing.explore.search import Exploration

__all__ = ["SETTINGS", "Settings", "Tally"]


class Tally(NamedTuple):
    """What is told of one exploration, in plain values that go from one process to another."""

    name: str
    runs: int
    behaviours: int
    seconds: float
    yardstick: bool
    line: str

    @classmethod
    def of(cls, found: Exploration) -> Tally:
        """That of ``found``, which is not kept."""
        behaviours = len(found.behaviours)
        return cls(found.name, found.runs, behaviours, found.seconds, found.yardstick, str(found))


@dataclass
class Settings:
    """``runs``, ``seed`` and ``trace`` replace what a test says; ``None`` leaves it as it is.

    ``schedules`` is the folder of kept traces, ``keep`` whether to add those of new failures.
    """

    runs: int | None = None
    seed: int | None = None
    trace: str | None = None
    keep: bool = False
    schedules: Path | None = None
    explored: list[Tally] = field(default_factory=list)

    def add(self, tallies: Iterable[Iterable[Any]]) -> None:
        """Count what another process has explored, too."""
        self.explored.extend(Tally(*one) for one in tallies)

    def summary(self, detailed: bool = True) -> list[str]:
        """A line for each exploration, or for each that is a yardstick, and one for all."""
        if not self.explored:
            return []
        runs = sum(one.runs for one in self.explored)
        behaviours = sum(one.behaviours for one in self.explored)
        seconds = sum(one.seconds for one in self.explored)
        rate = runs / seconds if seconds else 0.0
        total = (
            f"{runs} interleavings explored in {seconds:.1f} s of one core ({rate:.0f} per second "
            f"and core), {behaviours} distinct behaviours"
        )
        shown = [one for one in self.explored if detailed or one.yardstick]
        return [*(one.line for one in shown), total]


SETTINGS = Settings()
"""Those of this process."""
