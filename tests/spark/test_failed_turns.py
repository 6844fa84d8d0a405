"""A turn of the supervised source that fails may be its last: it must not wait for another one."""

from collections.abc import Callable
from pathlib import Path

from actors_rs.delivery import Disposition, Ledger, status
from actors_rs.delivery.ledger import Plan
from actors_rs.errors import LedgerError, WriteError
from actors_rs.spark.bookkeeping import Book
from actors_rs.spark.policy import PartitionPolicy
from actors_rs.spark.supervised import SupervisedPartitions
from tests.spark.bench import Bench, ListPlan
from tests.spark.full_disk import no_file_beyond


class Shell(Bench):
    """A stage with a ledger, whose failed turns end as those of the real shell do."""

    def __init__(self, plan: ListPlan, ledger: Path) -> None:
        self.book = Book(Ledger(ledger), lambda element: 1)
        self.letting_go: list[Callable[[], None]] = []
        super().__init__(plan, policy=PartitionPolicy())

    def turn(self) -> None:
        if isinstance(self.logic, SupervisedPartitions):
            self.logic._book = self.book
        try:
            super().turn()
        except WriteError as error:
            self.logic.fail(error)

    def linger(self, let_go: Callable[[], None], /) -> None:
        self.letting_go.append(let_go)


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
    (let_go,) = bench.letting_go
    let_go()
    bench.turn()
    assert bench.logic.finished
    assert status(path).counts["committed"] == 0
    assert status(path).state == "failed"


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
