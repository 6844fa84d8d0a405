"""Nothing that depends on order or time is left out of the scenarios."""

import re
from pathlib import Path

from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.explore.search import run_once
from tests.explored.catalogue import SCENARIOS
from tests.mutants.catalogue import ALL
from tests.mutants.kill import quiet

STAGES = Path(__file__).resolve().parents[2] / "actors_rs" / "stages"
CLOCK_OR_THREADS = re.compile(r"context\.(now|after|run_blocking|post)\b|import (Alarm|Detached)\b")
BASES = {"__init__", "hot", "hub_buffer"}
APART = {"sqlite"}
"""It posts only what lets go of its file for a sink on another thread; a world has one thread."""


RUN_STREAMS = {"flat_map_merge", "switch_map", "catch", "recover_with", "group_by"}


def needed():
    """Every junction and hub, what runs inner streams, and what deals with time or threads."""
    timed = [
        path
        for folder in ("operators", "sources")
        for path in (STAGES / folder).rglob("*.py")
        if CLOCK_OR_THREADS.search(path.read_text(encoding="utf-8"))
    ]
    junctions = [path for name in ("junctions", "hubs") for path in (STAGES / name).glob("*.py")]
    return {path.stem for path in (*timed, *junctions)} - BASES - APART | RUN_STREAMS


def explored():
    """The files of the stages that ran in a few runs of each scenario."""
    seen = set()
    with quiet():
        for scenario in SCENARIOS.values():
            for seed in range(3):
                world, error = run_once(scenario.run, scenario.plan, RandomWalk(seed))
                assert error is None, scenario.name
                stages = [
                    stage
                    for step in world._dispatcher.actors
                    for stage in getattr(step.actor, "planned", ())
                ]
                for stage in stages:
                    bases = type(stage.logic).__mro__
                    seen |= {base.__module__.rpartition(".")[2] for base in bases}
                world.dismantle()
    return seen


def test_every_junction_and_every_stage_with_time_or_threads_is_explored():
    left_out = needed() - explored()
    assert not left_out, f"no scenario in tests/explored has: {', '.join(sorted(left_out))}"


def test_every_junction_and_every_stage_with_time_or_threads_has_a_bug_in_the_museum():
    modules = {edit.where.partition(":")[0] for bug in ALL for edit in bug.edits}
    left_out = needed() - {module.rpartition(".")[2] for module in modules}
    assert not left_out, f"no mutant in tests/mutants edits: {', '.join(sorted(left_out))}"
