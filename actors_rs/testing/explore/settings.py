"""Settings of explorations from the command line of pytest, and their figures so far."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from actors_rs.testing.explore.replays import Replays
from actors_rs.testing.explore.search import Exploration

__all__ = ["SETTINGS", "Settings", "Tally"]


NOT_FAILED = (
    "the trace did not fail; if nothing was mended since, the run depends on more than its "
    "decisions: on the order of a set, which is another one in each process unless "
    "PYTHONHASHSEED is the same, on a file, on the version of a library"
)


NOTHING_TO_REPLAY = "--replay made no run: this test explores nothing"


class Tally(NamedTuple):
    """The figures of one exploration, in plain values that can go to another process."""

    name: str
    runs: int
    behaviours: int
    seconds: float
    always: bool
    """Whether its line is also reported where only the sum is asked for."""
    line: str

    @classmethod
    def of(cls, found: Exploration) -> Tally:
        """That of ``found``, which is not kept."""
        behaviours = len(found.behaviours)
        return cls(found.name, found.runs, behaviours, found.seconds, found.yardstick, str(found))


@dataclass
class Settings:
    """``runs``, ``seed`` and ``trace`` replace what a test says; ``None`` leaves it as it is.

    ``schedules`` is the folder of kept traces, ``keep`` whether to add traces of new failures.
    ``replays`` belong to the test that runs. Tests are named by their path from ``root``; pytest
    was started in ``started_in``. Both are guessed unless the plugin sets them.
    """

    runs: int | None = None
    seed: int | None = None
    trace: str | None = None
    keep: bool = False
    schedules: Path | None = None
    root: Path | None = None
    started_in: Path | None = None
    explored: list[Tally] = field(default_factory=list)
    replays: Replays = field(default_factory=Replays)

    def argument(self, test: str) -> str:
        """What to call ``test`` on the command line, from where pytest was started."""
        path, colons, name = test.partition("::")
        here = self.started_in or Path.cwd()
        root = self.root or next((up for up in (here, *here.parents) if (up / path).exists()), here)
        return f"{os.path.relpath(root / path, here)}{colons}{name}"

    def test_passed(self, test: str) -> None:
        """Raise ``TraceMisfit`` if all its replays were of something else; note what passed."""
        asked = self.trace is not None
        self.replays.check(asked=asked)
        if asked and self.replays == Replays():
            self.explored.append(Tally(test, 0, 0, 0.0, True, f"{test}: {NOTHING_TO_REPLAY}"))
        if asked and self.replays.passed and not self.replays.failed:
            line = f"{test}: {NOT_FAILED}"
            self.explored.append(Tally(test, self.replays.passed, 0, 0.0, True, line))

    def add(self, tallies: Iterable[Iterable[Any]]) -> None:
        """Count what another process has explored, too."""
        self.explored.extend(Tally(*one) for one in tallies)

    def summary(self, detailed: bool = True) -> list[str]:
        """A line for each exploration (or only for yardsticks), and one for all together."""
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
        shown = [one for one in self.explored if detailed or one.always]
        return [*(one.line for one in shown), total]


SETTINGS = Settings()
"""The settings of this process."""
