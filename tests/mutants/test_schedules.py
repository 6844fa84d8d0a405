# mypy: disable-error-code="no-untyped-def"
"""The traces that are kept for ever: each shows its bug, and nothing once that is repaired."""

import pytest

from actors_rs.testing.explore.search import replay
from actors_rs.testing.explore.traces import schedule_file
from tests.explored.catalogue import SCENARIOS
from tests.mutants.catalogue import ALL, MUTANTS
from tests.mutants.kill import quiet
from tests.mutants.schedules import FOLDER, TEST, kept

KEPT = list(kept())
BUGS = {bug.name: bug for bug in ALL}
each = pytest.mark.parametrize("one", KEPT, ids=[one.bug for one in KEPT])
AGAIN = "a trace is out of date: python -m tests.mutants.schedules makes all of them anew"


def again(one):
    replay(SCENARIOS[one.scenario].run, SCENARIOS[one.scenario].plan, one.trace, strict=False)


@each
def test_the_trace_shows_its_bug(one):
    with BUGS[one.bug].applied(), quiet(), pytest.raises(Exception) as seen:
        again(one)
    assert "another graph" not in str(seen.value), AGAIN


@each
def test_the_trace_passes_on_the_sound_code(one):
    with quiet():
        again(one)


def test_traces_are_kept_of_all_bugs_that_exploration_found_and_of_a_dozen_others():
    names = {one.bug for one in KEPT}
    assert {bug.name for bug in MUTANTS["found"]} <= names
    assert len(names) >= len(MUTANTS["found"]) + 12


def test_every_file_of_traces_belongs_to_a_scenario():
    known = {schedule_file(FOLDER, TEST.format(name)) for name in SCENARIOS}
    assert set(FOLDER.glob("*.json")) <= known
