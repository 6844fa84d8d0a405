# mypy: disable-error-code="no-untyped-def"
"""``spark_map`` with a real Spark: what becomes of the exceptions that its function raises."""

from typing import Any

import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.errors import CallExitError, StageError
from actors_rs.spark import spark_map
from actors_rs.spark.mapping.map_errors import revived
from actors_rs.spark.mapping.map_worker import Parts

pytestmark = pytest.mark.spark

SECONDS = 240.0


class BadOrder(Exception):  # noqa: N818
    """Its ``__init__`` takes two arguments and gives one to ``Exception``, as many do."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(f"order {number}: {why}")
        self.number = number
        self.why = why
        self.lock: Any = None


def failures(system: ActorSystem, n: int, flow: Flow[Any, Any]) -> tuple[Any, dict[Any, Any]]:
    got = system.start(Source.range(0, n).via(flow).to(Sink.list())).result(SECONDS)
    letters = system.dead_letters.recent()
    return got, {letter.what: letter.error.__cause__ for letter in letters if letter.error}


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_an_exit_in_the_function_fails_its_element_alone(
    spark: SparkSession, system: ActorSystem, kind: type[BaseException]
) -> None:
    def leave(n: int) -> int:
        if n == 2:
            raise kind("leave")
        return n

    flow = spark_map(leave, spark, batch=6).on_failure("resume")
    got, failed = failures(system, 6, flow)
    assert got == [0, 1, 3, 4, 5]
    assert list(failed) == [2]
    assert isinstance(failed[2], CallExitError)
    assert isinstance(failed[2].__cause__, kind)


def test_an_exception_with_an_init_of_its_own_keeps_its_class_and_its_attributes(
    spark: SparkSession, system: ActorSystem
) -> None:
    import threading

    def check(n: int) -> int:
        if n % 2:
            error = BadOrder(n, "no items")
            error.lock = threading.Lock() if n == 1 else None
            raise error
        return n

    def by_type(error: Exception, element: Any) -> Any:
        return "resume" if isinstance(error, BadOrder) else "stop"

    got, failed = failures(system, 4, spark_map(check, spark).on_failure(decider=by_type))
    assert got == [0, 2]
    assert [str(failed[n]) for n in (1, 3)] == ["order 1: no items", "order 3: no items"]
    assert [(failed[n].number, failed[n].why) for n in (1, 3)] == [(1, "no items"), (3, "no items")]
    assert "in check" in failed[1].__notes__[0]
    assert not hasattr(failed[1], "lock")


def test_an_exception_that_is_false_keeps_its_class() -> None:
    class Falsy(BadOrder):
        def __bool__(self) -> bool:
            return False

    parts: Parts = (
        None,
        cloudpickle.dumps(Falsy),
        [cloudpickle.dumps("text")],
        {},
        "Falsy: text\n...",
    )
    assert type(revived(parts)).__name__ == "Falsy"


def test_of_a_class_that_the_driver_cannot_import_the_text_is_left() -> None:
    gone = b"no pickle"
    error = revived((gone, gone, [cloudpickle.dumps(1)], {}, "Gone: 1\nin a Python worker: ..."))
    assert type(error) is RuntimeError
    assert str(error).startswith("Gone: 1\n")


def test_a_module_that_only_the_driver_has_is_named_with_what_to_do(
    spark: SparkSession, system: ActorSystem
) -> None:
    def use(n: int) -> Any:
        import module_of_the_driver  # type: ignore[import-not-found]

        return module_of_the_driver

    _, failed = failures(system, 1, spark_map(use, spark).on_failure("resume"))
    assert isinstance(failed[0], ModuleNotFoundError)
    advice = failed[0].__notes__[-1]
    assert "module 'module_of_the_driver'" in advice
    assert "addPyFile" in advice
    assert "--py-files" in advice


class Rude:
    """An element that says nothing of itself."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    __str__ = __repr__


class RudeError(Exception):
    """An exception that says nothing of itself."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


@pytest.mark.parametrize("kind", [ValueError, RudeError])
def test_a_rude_element_whose_function_raises_on_spark_fails_alone(
    spark: SparkSession, system: ActorSystem, kind: type[Exception]
) -> None:
    def check(rude: Rude) -> int:
        if rude.number == 1:
            raise kind(rude)
        return rude.number

    flow = spark_map(check, spark, batch=4).on_failure("resume")
    rude = [Rude(number) for number in range(4)]
    assert system.start(Source.of(*rude).via(flow).to(Sink.list())).result(SECONDS) == [0, 2, 3]
    (letter,) = system.dead_letters.recent()
    assert letter.what is rude[1]
    assert "spark_map" in letter.where
    assert letter.error is not None
    assert type(letter.error.__cause__).__name__ == kind.__name__


def test_the_error_of_a_run_names_stage_and_position_of_a_rude_element(
    spark: SparkSession, system: ActorSystem
) -> None:
    def check(rude: Rude) -> int:
        raise RudeError(rude)

    run = system.start(Source.of(Rude(0)).via(spark_map(check, spark)).to(Sink.list()))
    with pytest.raises(StageError) as caught:
        run.result(SECONDS)
    assert "spark_map" in str(caught.value)
    assert caught.value.position == 0
