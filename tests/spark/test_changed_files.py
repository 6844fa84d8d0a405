"""A ledger knows the sizes of the files that Spark read, by which it numbers their partitions."""

# mypy: disable-error-code="no-untyped-def"
from pathlib import Path

import pytest

from actors_rs.delivery import Disposition, Ledger, status
from actors_rs.errors import LedgerError, RunCancelled
from actors_rs.spark.resuming.ledger_writer import LedgerWriter
from tests.spark.bench import ListPlan
from tests.spark.test_failed_turns import Shell

CODE = "the code of a function in the plan has changed"
BEFORE, AFTER = {"file:/a": 10, "file:/b": 20}, {"file:/a": 10, "file:/b": 21}


class Files(ListPlan):
    """Partitions of files, the same texts of which make the same plan whatever their rows are."""

    def __init__(self, files, *partitions):
        super().__init__(*partitions)
        self.sizes = files

    def files(self):
        return self.sizes

    def describe(self):
        return "a list", "of files"


def opened(path: Path, plan: Files, verify: float = 0.02) -> LedgerWriter:
    writer = LedgerWriter(Ledger(path), lambda _: 1, verify=verify)
    writer.open(plan, len(plan.partitions))
    return writer


def some_done(path: Path, files=BEFORE) -> Files:
    """A ledger in which two of three partitions are done."""
    plan = Files(files, [0], [1], [2])
    writer = opened(path, plan)
    for partition in (0, 1):
        unit = writer.unit(partition, lambda unit, outcomes: None)
        writer.count(unit, [partition])
        writer.commit(unit)
    writer.write()
    writer.close(None, completed=True)
    return plan


def verified(path: Path, plan: Files, verify: float = 0.02) -> list[int]:
    """The partitions that a start computes again before it goes on."""
    writer = opened(path, plan, verify)
    try:
        writer.verify(plan, "tag", lambda: False)
    finally:
        writer.close(None, completed=True)
    return sorted(plan.begun)


def test_a_file_of_another_size_has_all_partitions_that_are_done_verified_once(tmp_path):
    path = tmp_path / "l"
    some_done(path)
    assert verified(path, Files(AFTER, [0], [1], [2])) == [0, 1]
    assert len(verified(path, Files(AFTER, [0], [1], [2]))) == 1


def test_files_that_the_directory_lists_in_another_order_have_all_partitions_verified(tmp_path):
    path, other = tmp_path / "l", dict(reversed(BEFORE.items()))
    some_done(path)
    assert verified(path, Files(other, [0], [1], [2])) == [0, 1]
    assert len(verified(path, Files(other, [0], [1], [2]))) == 1


def test_a_start_that_finds_nothing_done_records_the_order_in_which_it_reads(tmp_path):
    path, other = tmp_path / "l", dict(reversed(BEFORE.items()))
    opened(path, Files(BEFORE, [0], [1], [2])).close(None, completed=False)
    some_done(path, files=other)
    assert verified(path, Files(BEFORE, [0], [1], [2])) == [0, 1]


def test_rows_that_moved_with_the_order_of_files_are_refused(tmp_path):
    path = tmp_path / "l"
    some_done(path)
    with pytest.raises(LedgerError, match="lists file:/b where it listed file:/a before"):
        verified(path, Files(dict(reversed(BEFORE.items())), [0, 1], [], [2]))


def test_rows_that_moved_are_refused_with_the_name_of_the_file(tmp_path):
    path = tmp_path / "l"
    some_done(path)
    for _ in range(2):
        told = f"file:/b has 21 bytes, and had 20 before; or {CODE}"
        with pytest.raises(LedgerError, match=told):
            verified(path, Files(AFTER, [0], [1, 2], []))


def test_other_rows_from_the_same_files_may_come_from_changed_code(tmp_path):
    path = tmp_path / "l"
    some_done(path)
    with pytest.raises(LedgerError, match=f"The cause: {CODE}; or its input has"):
        verified(path, Files(BEFORE, [0, 1], [1, 2], [2]))


def test_a_ledger_without_sizes_gets_those_of_the_next_start(tmp_path):
    path = tmp_path / "l"
    some_done(path, files={})
    assert len(verified(path, Files(BEFORE, [0], [1], [2]))) == 1
    assert verified(path, Files(AFTER, [0], [1], [2])) == [0, 1]


def test_without_verification_a_changed_file_is_a_warning(tmp_path, caplog):
    path = tmp_path / "l"
    some_done(path)
    assert verified(path, Files(AFTER, [0], [1], [2]), verify=0) == []
    assert "file:/b has 21 bytes" in caplog.text
    assert verified(path, Files(AFTER, [0], [1], [2])) == [0, 1], "a later start still knows"


@pytest.mark.parametrize(
    ("error", "said"),
    [(None, 1), (RunCancelled("gone"), 1), (ValueError("bad"), 0)],
    ids=["drained", "cancelled", "failed"],
)
def test_a_start_that_was_ended_early_says_how_many_partitions_are_left(
    tmp_path, caplog, error, said
):
    caplog.set_level("INFO", "actors_rs.ledger")
    path = tmp_path / "l"
    plan = some_done(path)
    caplog.clear()
    opened(path, plan).close(error, completed=True)
    assert caplog.messages == [f"{path}: 1 partition is left for the next run"][:said]
    caplog.clear()
    opened(tmp_path / "new", plan).close(None, completed=True)
    assert caplog.messages == [f"{tmp_path / 'new'}: 3 partitions are left for the next run"]


def test_dead_letters_of_partitions_that_are_done_are_in_the_ledger(tmp_path):
    path = tmp_path / "l"
    bench = Shell(ListPlan([0, 1], [2]), path)
    bench.request(3)
    bench.run_all()
    for one in bench.got:
        dead = one.value < 2
        one.token.settle(Disposition.DEAD_LETTERED if dead else Disposition.DELIVERED)
    bench.turn()
    bench.run_all()
    assert bench.logic.details()["dead_lettered"] == 2
    assert [entry.dead_lettered for entry in status(path).partitions] == [2, None]


@pytest.mark.spark
def test_spark_tells_the_sizes_of_the_files_that_it_reads(spark, tmp_path):
    from actors_rs.spark.resuming.describing import files_read

    spark.range(0, 10, 1, 2).write.parquet(str(tmp_path / "data"))
    sizes = {one.name: one.stat().st_size for one in (tmp_path / "data").glob("*.parquet")}
    found = files_read(spark.read.parquet(str(tmp_path / "data")).where("id > 2"))
    assert {name.rpartition("/")[2]: size for name, size in found.items()} == sizes
    assert files_read(spark.range(3)) == {}
