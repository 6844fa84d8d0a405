"""Traces that are kept in ``tests/schedules``: each made a bug of the museum show, shrunk.

They are replayed on the sound code whenever the scenarios are explored, and with their bug in
``test_schedules.py``. ``python -m tests.mutants.schedules NAME...`` keeps those of further bugs, or
makes all of them anew if none is named: needed when a scenario or its graph has changed.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from actors_rs.testing.explore.search import search
from actors_rs.testing.explore.traces import Trace, add_schedule, schedule_file
from tests.explored.catalogue import SCENARIOS
from tests.mutants.catalogue import ALL
from tests.mutants.kill import quiet
from tests.mutants.mutant import Mutant

FOLDER = Path(__file__).resolve().parents[1] / "schedules"
TEST = "tests/explored/test_scenarios.py::test_the_scenario_holds_in_every_order[{}]"


class Kept(NamedTuple):
    """A trace of a scenario, and the bug that it shows."""

    scenario: str
    trace: Trace
    bug: str


def kept() -> Iterator[Kept]:
    """All traces that are kept for scenarios."""
    for scenario in SCENARIOS:
        path = schedule_file(FOLDER, TEST.format(scenario))
        if path.exists():
            traces = json.loads(path.read_text(encoding="utf-8"))["traces"]
            for word, bug in traces.items():
                yield Kept(scenario, Trace.parse(word), bug)


def shrunk(bug: Mutant) -> Kept:
    """The simplest run found that shows ``bug``; raises ``LookupError`` if none does."""
    with bug.applied(), quiet():
        for name in bug.killers:
            found = search(SCENARIOS[name].run, SCENARIOS[name].plan, name)
            if found.failure is not None:
                return Kept(name, found.failure.trace, bug.name)
    raise LookupError(f"no run shows '{bug.name}'")


def keep(names: list[str]) -> None:
    """Keep the traces of the bugs of these ``names``, without any those of all that are kept."""
    anew = not names
    names = names or list(dict.fromkeys(one.bug for one in kept()))
    bugs = [next(bug for bug in ALL if bug.name == name) for name in names]
    if anew:
        for path in FOLDER.glob("*.json"):
            path.unlink()
    for bug in bugs:
        one = shrunk(bug)
        print(f"{one.scenario}: {one.trace} shows '{bug.name}'")
        add_schedule(FOLDER, TEST.format(one.scenario), one.trace, bug.name)


if __name__ == "__main__":
    keep(sys.argv[1:])
