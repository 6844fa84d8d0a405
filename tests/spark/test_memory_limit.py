"""Under ``ActorSystem(memory_limit=...)`` Spark's batches and rows count by their bytes."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from actors_rs import ActorSystem, Sink
from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.runtime.memory_budget import MemoryBudget
from actors_rs.spark import SparkSource
from actors_rs.spark.connecting import query as connect_query
from actors_rs.spark.fetching.arrow_route import ArrowRoute
from actors_rs.spark.fetching.connect_back import open_streamed
from actors_rs.spark.fetching.decoding import slices
from actors_rs.spark.fetching.fetch import CHUNKS_AHEAD, next_chunk
from actors_rs.spark.policy import policy_of
from tests.spark.bench import Bench, ListPlan
from tests.spark.jobs import subscribed, until
from tests.spark.test_connect import in_chunks
from tests.spark.test_source_stage import DEADLINE, in_thread, joined

MIB = 2**20
SECONDS = 240.0


def test_a_partition_is_read_ahead_as_far_as_the_limit_allows_and_one_chunk_at_least() -> None:
    plan = ListPlan([bytes(MIB) for _ in range(40)])
    memory = MemoryBudget(8 * MIB)
    bench = Bench(plan, memory=memory)
    bench.request(1)
    bench.run_job()
    thread = in_thread(bench.jobs.popleft())
    read = 0
    while len(bench.got) < 40:
        while plan.read.acquire(timeout=0.05):
            read += 1
        bench.turn()
        assert read - len(bench.got) <= 4 + 1, "half of the limit, and one that was granted before"
        assert memory.reserved <= 6 * MIB
        bench.request(1)
    assert joined(thread)
    bench.turn()
    assert bench.completed
    assert memory.reserved == 0


def test_small_chunks_are_read_as_far_ahead_as_without_a_limit() -> None:
    plan = ListPlan(list(range(100)))
    bench = Bench(plan, memory=MemoryBudget(8 * MIB))
    bench.request(1)
    bench.run_job()
    thread = in_thread(bench.jobs.popleft())
    assert plan.read.acquire(timeout=DEADLINE)
    assert plan.read.acquire(timeout=DEADLINE), "one waits, and the thread has another one"
    assert not plan.read.acquire(timeout=0.1)
    bench.turn()
    for _ in range(CHUNKS_AHEAD):
        assert plan.read.acquire(timeout=DEADLINE)
    assert not plan.read.acquire(timeout=0.1)
    bench.cancel()
    assert joined(thread)


def test_a_limit_below_one_chunk_lets_the_chunks_through() -> None:
    bench = Bench(ListPlan([bytes(100)], [bytes(100)]), memory=MemoryBudget(1))
    bench.request(UNBOUNDED)
    bench.run_all()
    assert bench.got == [bytes(100), bytes(100)]
    assert bench.completed


def test_the_stage_says_what_it_holds_and_gives_its_share_back_when_cancelled() -> None:
    memory = MemoryBudget(64 * MIB)
    bench = Bench(ListPlan([bytes(MIB)], [bytes(MIB)]), in_flight=2, memory=memory)
    bench.request(2)
    bench.run_job()
    bench.logic.outlet.demand = 0
    bench.run_all()
    assert 2 * MIB < bench.logic.held_bytes <= memory.reserved
    bench.cancel()
    assert memory.reserved == 0


@pytest.mark.parametrize("on_poison", ["fail", "dead_letter"])
def test_a_failed_attempt_gives_its_share_back(on_poison: Any) -> None:
    memory = MemoryBudget(64 * MIB)
    plan = ListPlan([bytes(MIB), ValueError("no row")])
    bench = Bench(plan, policy=policy_of(on_poison=on_poison), memory=memory)
    bench.request(UNBOUNDED)
    bench.run_all()
    assert bench.error is not None or bench.completed
    assert memory.reserved == 0


@pytest.mark.parametrize(("in_flight", "above"), [(1, 2 * MIB), (4, MIB // 2)])
def test_partitions_are_streamed_that_exceed_their_part_of_the_limit(
    in_flight: int, above: int
) -> None:
    plan = ListPlan([1])
    bench = Bench(plan, in_flight=in_flight, memory=MemoryBudget(8 * MIB))
    bench.request(1)
    bench.run_all()
    assert plan.streams_above == above


def test_rows_are_handed_over_by_the_mebibyte() -> None:
    heavy = iter([bytes(100_000)] * 512)
    assert [len(next_chunk(heavy, 512)) for _ in range(3)] == [10, 10, 10]
    light = iter(range(1_000))
    assert [len(next_chunk(light, 512)) for _ in range(3)] == [512, 488, 0]
    assert len(next_chunk(iter([bytes(2 * MIB)] * 2), 512)) == 1


def test_rows_are_decoded_a_few_mebibytes_at_a_time() -> None:
    batch = pa.record_batch({"text": pa.array(["x" * 100_000] * 200)})
    parts = list(slices(batch))
    assert max(part.nbytes for part in parts) <= 4 * MIB
    assert pa.concat_tables(parts).equals(pa.Table.from_batches([batch]))
    assert [part.num_rows for part in slices(pa.record_batch({"n": range(5_000)}))] == [4096, 904]


@pytest.mark.spark
@pytest.mark.parametrize("kind", [SparkSource.arrow, SparkSource.rows])
def test_a_huge_partition_streams(
    spark: SparkSession, kind: Callable[[DataFrame], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int] = []

    def streamed(df: DataFrame, limit: int) -> ArrowRoute:
        limits.append(limit)
        return open_streamed(df, limit)

    monkeypatch.setattr("actors_rs.spark.fetching.partitions.open_streamed", streamed)
    df = spark.range(0, 400, 1, 1).selectExpr("id", "repeat('x', 100000) AS text")
    largest = 0

    def ids(element: Any) -> list[int]:
        nonlocal largest
        if isinstance(element, pa.RecordBatch):
            largest = max(largest, element.nbytes)
            return element["id"].to_pylist()
        return [element.id]

    with ActorSystem(memory_limit="8 MiB") as system:
        given = system.start(kind(df).flat_map(ids).to(Sink.list())).result(SECONDS)
        assert system.statistics().memory_reserved == 0
    assert given == list(range(400))
    assert limits == [MIB]
    assert largest < 2 * MIB


@pytest.mark.spark
def test_columns_that_arrow_cannot_carry_come_as_a_whole(spark: SparkSession) -> None:
    df = spark.sql("SELECT named_struct('a', id, 'a', id) AS twins FROM range(0, 4, 1, 2)")
    with ActorSystem(memory_limit="8 MiB") as system:
        assert system.start(SparkSource.rows(df).to(Sink.count())).result(SECONDS) == 4


@pytest.mark.spark
@pytest.mark.parametrize("kind", [SparkSource.arrow, SparkSource.rows])
def test_a_result_of_spark_connect_is_read_ahead_as_far_as_the_limit_allows(
    remote: Any, kind: Callable[[DataFrame], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    read, most = 0, 0
    batches = connect_query.BatchReader.batches

    def counting(self: Any, response: Any) -> Iterator[pa.RecordBatch]:
        nonlocal read, most
        for batch in batches(self, response):
            read += 1
            most = max(most, read - len(subscriber.got))
            yield batch

    def came(asked: int) -> bool:
        """Whether that many have come, and the next ones are read ahead."""
        return len(subscriber.got) == asked and (read == 30 or read >= asked + 2)

    monkeypatch.setattr(connect_query.BatchReader, "batches", counting)
    remote.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
    try:
        with ActorSystem(memory_limit="8 MiB") as system:
            subscriber = subscribed(system, kind(in_chunks(remote, 1, 30, width=MIB)))
            for asked in range(1, 31):
                subscriber.subscription.request(1)
                until(partial(came, asked))
            until(lambda: subscriber.ended)
            assert system.statistics().memory_reserved == 0
    finally:
        remote.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    given: list[Any] = subscriber.got
    rows = given if kind == SparkSource.rows else [batch.to_pylist()[0] for batch in given]
    assert sorted(row["id"] for row in rows) == list(range(30))
    assert 2 <= most <= 6, "half of the limit, and chunks on their way"
