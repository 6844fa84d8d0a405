# mypy: disable-error-code="no-untyped-call"
"""Random graphs, several at a time, while threads stand still for milliseconds at random places."""

from __future__ import annotations

import random
import threading
from contextlib import suppress

import pytest

from actors_rs import ActorSystem
from actors_rs.errors import RunCancelled
from actors_rs.testing.leaks import no_leaks
from stress.random_runs import Asker, Plan
from stress.running import quiet
from stress.settings import Settings
from stress.stalls import written_down
from stress.standstills import standing_still
from stress.yields import Flight, recorded
from tests.graph.helpers import wait_until

BATCHES = 400
ABREAST = 8
"""Runs at a time: most of them wait."""
SECONDS = 60.0
"""After which a run counts as standing still for good; stretched by the dilation."""


@pytest.mark.rotated(4)
@pytest.mark.timeout(300)
@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_random_graph_gives_what_a_list_would_although_threads_stand_still(
    batch: int, settings: Settings
) -> None:
    failures: list[BaseException] = []
    dice = random.Random(f"{settings.seed} {batch}")

    def run_one(number: int) -> None:
        try:
            _run_one(f"{settings.seed} {batch} {number}", settings, flight)
        except BaseException as error:
            error.add_note(f"with threads that stand still at {places}")
            failures.append(error)

    with recorded() as flight, quiet(), no_leaks(), standing_still(dice) as places:
        runs = [threading.Thread(target=run_one, args=(n,), daemon=True) for n in range(ABREAST)]
        for run in runs:
            run.start()
        for run in runs:
            run.join()
        if failures:
            raise failures[0]


def _run_one(seed: str, settings: Settings, flight: Flight) -> None:
    dice, seconds = random.Random(f"run {seed}"), settings.stretched(SECONDS)
    with ActorSystem(
        workers=dice.choice((1, 2, 4)),
        window=dice.choice((1, 2, 16, 1024)),
        throughput=dice.choice((None, 1, 5, 100)),
        monitor=dice.random() < 0.3,
        shutdown_timeout=seconds,
    ) as system:
        plan = Plan(seed, system)
        with written_down(system, f"run {seed}{plan}", flight):
            _run_plan(plan, dice, seconds)


def _run_plan(plan: Plan, dice: random.Random, seconds: float) -> None:
    if dice.random() < 0.3:
        _to_a_foreign_subscriber(plan, seconds)
    else:
        _to_a_sink(plan, dice, seconds)
    wait_until(lambda: not plan.system.children(), seconds)
    for thread in plan.threads:
        thread.join(seconds)
        assert not thread.is_alive(), f"a publisher was never told the end: {plan}"


def _to_a_sink(plan: Plan, dice: random.Random, seconds: float) -> None:
    """Run it to its end, or end it in the midst, in one of several ways."""
    got: list[int] = []
    graph = plan.flow.to(plan.sink(got))
    run = plan.system.start(graph.fuse() if dice.random() < 0.4 else graph)
    how = dice.choice(("run", "run", "run", "cancel", "drain", "shutdown"))
    if how != "run":
        run.wait(dice.random() ** 2 * 0.08)
    if how == "cancel":
        run.cancel()
    elif how == "drain":
        run.drain()
    elif how == "shutdown":
        plan.system.shutdown(drain=False)
    assert run.wait(seconds), f"{plan} stands still"
    with suppress(RunCancelled):
        run.result(0)
    assert how not in ("run", "drain") or run.state == "completed", plan
    plan.judge(got, "some" if how == "drain" else "all" if run.state == "completed" else "first")


def _to_a_foreign_subscriber(plan: Plan, seconds: float) -> None:
    book = Asker(plan)
    plan.system.publisher(plan.flow).subscribe(book)
    assert book.over.wait(seconds), f"{plan} stands still"
    assert book.faults == [], plan
    assert book.ends == ([] if book.has_enough else ["complete"]), plan
    plan.judge(book.elements, "first" if book.has_enough else "all")
