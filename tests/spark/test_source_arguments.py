"""Arguments of ``SparkSource`` that cannot work are refused at the call, in one kind of error."""

import math
from typing import Any

import pytest
from pyspark.sql import SparkSession

from actors_rs import Backoff
from actors_rs.errors import InvalidArgumentError
from actors_rs.spark import SparkSource

pytestmark = pytest.mark.spark

QUICK = Backoff(0.01, 0.01)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_attempts": 0}, "max_attempts must be at least 1, got 0"),
        ({"max_attempts": "5"}, "max_attempts must be an int, got '5'"),
        ({"on_poison": "ignore"}, "on_poison must be one of 'dead_letter', 'fail', got 'ignore'"),
        ({"partition_timeout": -1.0}, "partition_timeout must be above 0"),
        ({"partition_timeout": "5"}, "partition_timeout must be a number of seconds, got '5'"),
        ({"partition_timeout": math.inf}, "partition_timeout must be a finite number"),
        ({"max_attempt": 3}, "no option 'max_attempt': did you mean 'max_attempts'"),
        ({"backoff": 3, "max_attempts": 2}, "backoff must be a Backoff, for instance Backoff"),
        ({"backoff": QUICK}, "without max_attempts there is one attempt"),
        ({"pool": ""}, "pool must be a name or None"),
        ({"retries": 3}, r"no option 'retries': write max_attempts=3"),
        ({"ledger": "x.db"}, r"no option 'ledger': write \.resume\(Ledger\(path\)\)"),
        ({"timeout": 5}, "no option 'timeout': write partition_timeout=seconds"),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused_at_once(
    spark: SparkSession, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=said) as refused:
        SparkSource.arrow(spark.range(1), **options)
    assert "\n" not in str(refused.value)


def test_a_path_where_a_ledger_belongs_is_answered_with_the_call_to_write(
    spark: SparkSession,
) -> None:
    with pytest.raises(InvalidArgumentError, match=r"got 'x.db': write resume\(Ledger\('x.db'\)\)"):
        SparkSource.arrow(spark.range(1)).resume("x.db")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("guess", "said"),
    [
        ("from_dataframe", r"write SparkSource.rows\(df\), or arrow\(df\)"),
        ("resume", r"write SparkSource.arrow\(df\).resume\(Ledger\(path\)\)"),
        ("row", "did you mean|rows"),
    ],
)
def test_a_guessed_name_is_answered_with_ours(guess: str, said: str) -> None:
    with pytest.raises(AttributeError, match=said):
        getattr(SparkSource, guess)
