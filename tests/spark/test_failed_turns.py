"""A turn of the supervised source that fails may be its last: it must not wait for another one."""

from pathlib import Path

import pytest

from actors_rs.delivery import Disposition, Ledger, status
from actors_rs.delivery.ledger import Plan
from actors_rs.errors import LedgerError, RunCancelled, StageError, WriteError
from actors_rs.spark.policy import PartitionPolicy
from actors_rs.spark.resuming.ledger_writer import LedgerWriter
from actors_rs.spark.supervised import SupervisedPartitions
from actors_rs.stages.stage import Release
from tests.room import no_file_beyond
from tests.spark.bench import Bench, ListPlan


class Shell(Bench):
    """A stage with a ledger, whose failed turns end as those of the real island do."""

    def __init__(self, plan: ListPlan, ledger: Path, timeout: float | None = None) -> None:
        self.ledger = LedgerWriter(Ledger(ledger), lambda element: 1)
        self.releases: list[Release] = []
        super().__init__(plan, policy=PartitionPolicy(timeout=timeout))

    def turn(self) -> None:
        if isinstance(self.logic, SupervisedPartitions):
            self.logic._ledger = self.ledger
        try:
            super().turn()
        except WriteError as error:
            self.logic.fail(error)

    def linger(self, release: Release, /) -> None:
        self.releases.append(release)


def test_a_commit_that_fails_leaves_no_unit_behind_that_nobody_waits_for(tmp_path: Path) -> None:
    path = tmp_path / "night.ledger"
    bench = Shell(ListPlan([0], [1], [2]), path)
    bench.request(2)
    bench.run_all()
    one, _ = bench.got
    with no_file_beyond(0):
        one.token.settle(Disposition.DELIVERED)
        bench.turn()
        bench.ring()
        bench.run_all()
    assert isinstance(bench.error, WriteError)
    assert not bench.logic.finished, "the other partition may still be written"
    (release,) = bench.releases
    release(None)
    bench.turn()
    assert bench.logic.finished
    assert status(path).counts["committed"] == 0
    assert status(path).state == "failed"


@pytest.mark.parametrize(
    ("error", "state"),
    [(StageError("parse", ValueError("bad")), "failed"), (RunCancelled("gone"), "cancelled")],
)
def test_a_run_that_fails_behind_the_last_element_has_failed_in_the_ledger_too(
    tmp_path: Path, error: Exception, state: str
) -> None:
    path = tmp_path / "night.ledger"
    bench = Shell(ListPlan([0]), path)
    bench.request(2)
    bench.run_all()
    assert bench.completed
    (release,) = bench.releases
    release(error)
    bench.turn()
    assert bench.logic.finished
    assert (status(path).state, status(path).error) == (state, str(error))


def test_what_others_did_with_units_that_are_committed_is_no_failure_of_theirs(
    tmp_path: Path,
) -> None:
    path = tmp_path / "night.ledger"
    bench = Shell(ListPlan([0]), path)
    bench.request(2)
    bench.run_all()
    bench.got[0].token.settle(Disposition.DELIVERED)
    bench.turn()
    (release,) = bench.releases
    release(ValueError("another branch"))
    bench.turn()
    bench.run_all()
    assert (status(path).state, status(path).error) == ("completed", None)


def test_a_ledger_that_cannot_be_used_is_refused_before_anything_is_planned(tmp_path: Path) -> None:
    path = tmp_path / "night.ledger"
    run = Ledger(path).open(Plan("a list", 1, "[[0]]"))
    for used in (path, tmp_path / "missing" / "night.ledger"):
        plan = ListPlan([0])
        bench = Shell(plan, used)
        bench.request(1)
        bench.run_all()
        assert isinstance(bench.error, LedgerError)
        assert plan.planned == []
    run.finish("completed")
