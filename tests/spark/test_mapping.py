# mypy: disable-error-code="no-untyped-def"
"""``spark_map`` with a real Spark: results, failures, what cannot travel, endings."""

import asyncio
import functools
import os
import pickle
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.errors import InvalidArgumentError, StageError
from actors_rs.spark import FailureKind, SparkPartitionError, spark_map
from actors_rs.spark.mapping.map_worker import mapper
from actors_rs.spark.mapping.mapping import _fill
from actors_rs.spark.mapping.pickling import frames_of
from tests.spark.jobs import jobs_running, until

pytestmark = pytest.mark.spark

SECONDS = 240.0


def square(n: int) -> int:
    return n * n


def over(n: int) -> float:
    if n == 7:
        raise ZeroDivisionError("seven")
    return n / 2


def results(system: ActorSystem, n: int, flow: Flow[Any, Any]) -> Any:
    return system.start(Source.range(0, n).via(flow).to(Sink.list())).result(SECONDS)


def test_each_element_goes_through_the_function_in_order(
    spark: SparkSession, system: ActorSystem
) -> None:
    got = results(system, 1000, spark_map(square, spark, parallelism=3, batch=70))
    assert got == [n * n for n in range(1000)]


def test_without_order_each_result_comes_once(spark: SparkSession, system: ActorSystem) -> None:
    got = results(system, 500, spark_map(square, spark, parallelism=3, batch=70, ordered=False))
    assert sorted(got) == [n * n for n in range(500)]


def test_a_coroutine_function_is_run_in_the_worker(
    spark: SparkSession, system: ActorSystem
) -> None:
    async def later(n: int) -> tuple[int, bool]:
        await asyncio.sleep(0)
        return n, os.getpid() == driver

    driver = os.getpid()
    assert results(system, 5, spark_map(later, spark)) == [(n, False) for n in range(5)]


class Square:
    """An awaitable that is no coroutine."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __await__(self) -> Generator[Any, None, int]:
        yield from asyncio.sleep(0).__await__()
        return self.n * self.n


def test_an_awaitable_that_the_function_gives_is_awaited_in_the_worker() -> None:
    (answers,) = mapper(Square)(iter([pickle.dumps([2, 3])]))
    assert pickle.loads(answers) == [(True, 4), (True, 9)]


def test_an_element_that_raises_fails_alone_and_says_where(
    spark: SparkSession, system: ActorSystem
) -> None:
    flow = spark_map(over, spark, batch=20).on_failure("resume")
    assert results(system, 20, flow) == [n / 2 for n in range(20) if n != 7]
    (letter,) = system.dead_letters.recent()
    assert letter.what == 7
    cause = letter.error.__cause__ if letter.error is not None else None
    assert isinstance(cause, ZeroDivisionError)
    assert "in over" in cause.__notes__[0]


def test_an_element_that_raises_fails_the_stage_and_is_counted(
    spark: SparkSession, system: ActorSystem
) -> None:
    with pytest.raises(StageError, match="seven") as caught:
        results(system, 20, spark_map(over, spark))
    assert caught.value.position == 7


def test_a_worker_that_dies_is_the_failure_of_the_elements_of_its_job(
    spark: SparkSession, system: ActorSystem
) -> None:
    def die(n: int) -> int:
        if n == 12:
            os._exit(3)
        return n

    source = Source.range(0, 30).batch(10).flat_map(lambda ten: ten)
    flow = spark_map(die, spark, parallelism=1, batch=10).on_failure("resume")
    got = system.start(source.via(flow).to(Sink.list())).result(SECONDS)
    lost: set[Any] = {letter.what for letter in system.dead_letters.recent()}
    assert 12 in lost
    assert len(lost) <= 10
    assert sorted([*got, *lost]) == list(range(30))
    (error,) = {letter.error.__cause__ for letter in system.dead_letters.recent()}  # type: ignore[union-attr]
    assert isinstance(error, SparkPartitionError)
    assert error.kind is FailureKind.WORKER_LOST
    assert str(error).startswith("a job of spark_map failed: ")


def test_a_result_or_an_error_that_cannot_be_pickled_is_its_elements_failure(
    spark: SparkSession, system: ActorSystem
) -> None:
    class Odd(Exception):  # noqa: N818
        def __init__(self, a: int, b: int) -> None:
            super().__init__(f"{a} and {b}")

    def locked(n: int) -> Any:
        if n == 2:
            raise Odd(1, 2)
        return threading.Lock() if n == 1 else n

    flow = spark_map(locked, spark).on_failure("resume")
    assert results(system, 4, flow) == [0, 3]
    causes = [str(letter.error) for letter in system.dead_letters.recent()]
    assert any("the result, a _thread.lock, cannot be pickled" in cause for cause in causes)
    assert any("Odd: 1 and 2" in cause for cause in causes)


class Picky:
    """Pickled without complaint, but not unpickled."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __reduce__(self) -> Any:
        return int, (f"no number: {self.n}",)


def test_a_result_that_cannot_be_unpickled_is_its_elements_failure_alone(
    spark: SparkSession, system: ActorSystem
) -> None:
    def odd(n: int) -> Any:
        return Picky(n) if n in (3, 7) else (n, threading.Lock()) if n == 5 else n

    flow = spark_map(odd, spark, batch=10).on_failure("resume")
    assert results(system, 10, flow) == [0, 1, 2, 4, 6, 8, 9]
    letters: dict[Any, str] = {
        letter.what: str(letter.error) for letter in system.dead_letters.recent()
    }
    assert sorted(letters) == [3, 5, 7]
    assert "TypeError: the result cannot be unpickled (ValueError: invalid " in letters[3]
    assert "no number: 7" in letters[7]
    assert "the result, a builtins.tuple, cannot be pickled" in letters[5]


def test_an_element_that_cannot_be_unpickled_fails_alone_and_no_other_is_done_twice(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    folder = str(tmp_path)

    def once(n: int) -> int:
        os.close(os.open(f"{folder}/{n}", os.O_CREAT | os.O_EXCL))
        return n

    elements: list[Any] = [Picky(n) if n in (3, 7) else n for n in range(10)]
    source = Source.from_iterable(elements)
    flow = spark_map(once, spark, batch=10).on_failure("resume")
    got = system.start(source.via(flow).to(Sink.list())).result(SECONDS)
    assert got == [0, 1, 2, 4, 5, 6, 8, 9]
    letters = [str(letter.error) for letter in system.dead_letters.recent()]
    said = "TypeError: cannot be unpickled in a Python worker (ValueError: invalid "
    assert [said in letter for letter in letters] == [True, True]
    assert "no number: 3" in letters[0]


def test_results_that_only_a_worker_can_read_are_told_as_such(system: ActorSystem) -> None:
    answers = [pickle.dumps([(True, Picky(0)), (True, 1)]), pickle.dumps([(True, 2)])]
    outcomes: list[Any] = [None] * 3
    assert _fill(outcomes, [[0, 2], [1]], answers) == []
    assert outcomes[1] == (True, 2)
    assert [good for good, _ in outcomes] == [False, True, False]
    assert str(outcomes[2][1]).startswith("the result cannot be unpickled (ValueError: ")


def test_an_element_that_cannot_be_pickled_fails_alone(
    spark: SparkSession, system: ActorSystem
) -> None:
    source = Source.of(1, threading.Lock(), 3)
    flow = spark_map(str, spark).on_failure("resume")
    assert system.start(source.via(flow).to(Sink.list())).result(SECONDS) == ["1", "3"]


def test_an_element_too_large_for_a_task_is_refused_in_one_sentence() -> None:
    frames, places, refused = frames_of(["a", "b" * 500, "c"], 1, 200)
    assert places == [[0], [2]]
    assert len(frames) == 2
    assert str(refused[1]).startswith("an element of 5")
    assert str(refused[1]).endswith("at most 200, see spark.rpc.message.maxSize")


def test_a_cancelled_run_cancels_its_jobs(spark: SparkSession, system: ActorSystem) -> None:
    def slow(n: int) -> int:
        time.sleep(600)
        return n

    run = system.start(Source.range(0, 10).via(spark_map(slow, spark)).to(Sink.list()))
    until(lambda: jobs_running(spark))
    run.cancel()
    until(lambda: jobs_running(spark) == 0)
    assert run.wait(SECONDS)


def test_a_function_that_cannot_be_pickled_is_refused_naming_what_in_it_cannot(
    spark: SparkSession,
) -> None:
    lock, number = threading.Lock(), 3

    def guarded(n: int) -> int:
        with lock:
            return n + number

    with pytest.raises(
        InvalidArgumentError, match=r"guarded' is to run on .*: 'lock' \(a _thread\.lock\)$"
    ):
        spark_map(guarded, spark)
    with pytest.raises(InvalidArgumentError, match=r"its argument \(a _thread\.lock\)$"):
        spark_map(functools.partial(max, lock), spark)
    with pytest.raises(InvalidArgumentError, match=r"'spark' \(a pyspark\..*SparkSession\)"):
        spark_map(lambda n: spark.range(n).count(), spark)
    with pytest.raises(InvalidArgumentError, match=r"pickled: 'lock' \(a _thread\.lock\)$"):
        spark_map(functools.wraps(guarded)(lambda n: guarded(n)), spark)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"parallelism": 0}, "parallelism must be at least 1"),
        ({"batch": 0}, "batch must be at least 1"),
        ({"ordered": "yes"}, "spark_map: ordered must be True or False, got 'yes'"),
        ({"f": 3}, "f must be callable"),
        ({"session": 3}, "expected a classic Spark session, got builtins.int"),
    ],
)
def test_settings_that_make_no_sense_are_refused_at_once(
    spark: SparkSession, settings: dict[str, Any], said: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        spark_map(**{"f": square, "session": spark, **settings})
