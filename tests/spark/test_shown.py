"""Partitions on the page: states, attempts, and the starts in the ledger."""

from pathlib import Path

from actors_rs.delivery import Disposition
from actors_rs.spark.policy import PartitionPolicy
from actors_rs.spark.shown import ShownPartitions
from tests.spark.bench import Bench, ListPlan
from tests.spark.test_failed_turns import Shell


def shown(bench: Bench) -> ShownPartitions:
    assert isinstance(bench.logic, ShownPartitions)
    return bench.logic


def test_each_partition_says_how_often_it_was_tried() -> None:
    plan = ListPlan([0], [RuntimeError("always")], [2])
    bench = Bench(plan, policy=PartitionPolicy(max_attempts=2, on_poison="dead_letter"))
    assert shown(bench).partition_attempts() == ""
    bench.request(10)
    bench.run_all()
    bench.ring()
    bench.run_all()
    assert shown(bench).partition_attempts() == "121"
    assert shown(bench).partition_states() == "dpd"
    assert shown(bench).details()["attempts"] == 4
    assert shown(bench).ledger_starts() == []
    latencies = bench.logic.load.latencies
    assert latencies is not None
    assert latencies.quantiles(0.5) != [None], "the time of an attempt is known"


def test_a_start_shows_what_earlier_starts_have_done(tmp_path: Path) -> None:
    path = tmp_path / "night.ledger"
    first = Shell(ListPlan([0], [1], [2]), path)
    first.request(2)
    first.run_all()
    first.got[0].token.settle(Disposition.DELIVERED)
    first.turn()
    first.cancel()
    first.run_all()
    (start,) = shown(first).ledger_starts()
    assert (start["state"], start["committed"], start["rows"]) == ("cancelled", 1, 1)
    assert start["ended"] >= start["started"]

    second = Shell(ListPlan([0], [1], [2]), path)
    second.request(1)
    second.run_all()
    assert shown(second).partition_states()[0] == "e"
    assert shown(second).partition_attempts()[0] == "1"
    assert shown(second).partition_attempts()[1] == "2", "one of an earlier start"
    earlier, own = shown(second).ledger_starts()
    assert (earlier["partitions"], earlier["committed"], earlier["rows"]) == (3, 1, 1)
    assert (own["start"], own["state"], own["done"]) == (2, "running", 1)
    assert own["started"] >= earlier["started"] > 0
    second.cancel()
    second.run_all()
