"""What the command line of pytest says about explorations, and what they have found so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from actors_rs.testing.explore.search import Exploration

__all__ = ["SETTINGS", "Settings"]


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
    explored: list[Exploration] = field(default_factory=list)

    def summary(self, detailed: bool = True) -> list[str]:
        """A line for each exploration, or for each that is a yardstick, and one for all."""
        if not self.explored:
            return []
        runs = sum(one.runs for one in self.explored)
        behaviours = sum(len(one.behaviours) for one in self.explored)
        seconds = sum(one.seconds for one in self.explored)
        rate = runs / seconds if seconds else 0.0
        total = (
            f"{runs} interleavings explored in {seconds:.1f} s of one core ({rate:.0f} per second "
            f"and core), {behaviours} distinct behaviours"
        )
        shown = [one for one in self.explored if detailed or one.yardstick]
        return [*map(str, shown), total]


SETTINGS = Settings()
"""Those of this process."""
