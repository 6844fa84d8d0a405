"""When the supervised source writes its ledger: not for each partition, and at the end at once."""

import threading
from pathlib import Path
from typing import Any

from actors_rs.delivery import Disposition, Ledger, status
from actors_rs.errors import LedgerError, RunCancelled
from actors_rs.spark.resuming.ledger_writer import LedgerWriter
from tests.spark.bench import ListPlan
from tests.spark.test_failed_turns import Shell


def committed(ledger: Path) -> int:
    return status(ledger).counts["committed"]


def test_what_is_done_within_a_tenth_of_a_second_is_one_transaction(tmp_path: Path) -> None:
    path = tmp_path / "night.ledger"
    bench = Shell(ListPlan([0], [1], [2]), path)
    bench.request(2)
    bench.run_all()
    bench.got[0].token.settle(Disposition.DELIVERED)
    bench.turn()
    assert not bench.jobs, "the ledger has just been written"
    assert committed(path) == 0
    bench.ring()
    assert len(bench.jobs) == 1
    bench.run_job()
    assert committed(path) == 1


def test_no_more_partitions_wait_to_be_committed_than_may_be_in_flight(tmp_path: Path) -> None:
    path = tmp_path / "night.ledger"
    bench = Shell(ListPlan([0], [1], [2], [3], [4]), path)  # two at a time
    bench.request(4)
    bench.run_all()
    for element in bench.got[:2]:
        assert not bench.jobs
        element.token.settle(Disposition.DELIVERED)
        bench.turn()
    bench.run_all()
    assert committed(path) == 2


def test_behind_the_last_element_the_ledger_is_written_at_once(tmp_path: Path) -> None:
    path = tmp_path / "night.ledger"
    bench = Shell(ListPlan([0], [1]), path)
    bench.request(1)
    bench.run_all()
    bench.got[0].token.settle(Disposition.DELIVERED)
    bench.turn()
    assert not bench.jobs
    bench.request(1)
    bench.run_all()
    assert bench.completed
    assert committed(path) == 1, "the run waits, so nothing else does"
    bench.got[1].token.settle(Disposition.DELIVERED)
    bench.turn()
    bench.run_all()
    assert committed(path) == 2
    assert bench.logic.finished


def test_a_run_that_ends_early_writes_what_it_knows_and_rings_no_more(tmp_path: Path) -> None:
    path = tmp_path / "night.ledger"
    bench = Shell(ListPlan([0], [1]), path)
    bench.request(1)
    bench.run_all()
    bench.got[0].token.settle(Disposition.DELIVERED)
    bench.turn()
    assert committed(path) == 0
    bench.cancel()
    bench.run_all()
    assert bench.logic.finished
    assert (committed(path), status(path).state) == (1, "cancelled")
    assert all(timer.over for timer in bench.timers)


def test_notes_that_are_just_being_written_are_in_the_ledger_when_it_is_closed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "night.ledger"
    ledger = LedgerWriter(Ledger(path), lambda element: 1)
    ledger.open(ListPlan([0]), 1)
    ledger.failed(0, ValueError("damaged"), poison=True)
    closing = threading.Thread(target=ledger.close, args=(None,), kwargs={"completed": True})
    run: Any = ledger._run
    write = run.write

    def write_while_it_is_closed(notes: Any) -> None:
        closing.start()
        closing.join(0.2)  # it cannot have ended by then, or the notes are lost
        write(notes)

    run.write = write_while_it_is_closed
    writing = threading.Thread(target=ledger.write)
    writing.start()
    writing.join()
    closing.join()
    (entry,) = status(path).partitions
    assert (entry.state, entry.last_error) == ("poison", "damaged")


def test_a_start_is_noted_with_the_code_of_its_error(tmp_path: Path) -> None:
    path = tmp_path / "night.ledger"
    for error in (LedgerError("other rows than before"), ValueError("no number"), None):
        ledger = LedgerWriter(Ledger(path), lambda element: 1)
        ledger.open(ListPlan([0]), 1)
        ledger.close(error, completed=True)
        assert ledger.starts[-1]["code"] == status(path).starts[-1]["code"]
    assert [start["code"] for start in status(path).starts] == ["ARS-005", None, None]


def test_a_start_that_ends_while_it_is_planned_is_shown_as_ended(tmp_path: Path) -> None:
    path = tmp_path / "night.ledger"
    ledger = LedgerWriter(Ledger(path), lambda element: 1)
    ledger.close(RunCancelled("enough"), completed=False)
    ledger.open(ListPlan([0]), 1)
    assert (ledger.starts[-1]["state"], status(path).state) == ("cancelled", "cancelled")
