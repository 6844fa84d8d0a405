"""Functions that cannot travel to executors: what in them is in the way is named."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from actors_rs.errors import InvalidArgumentError
from actors_rs.spark.mapping.pickling import pickled_function

pytestmark = pytest.mark.spark


def test_what_cannot_travel_is_named_beside_a_variable_that_has_no_value_yet() -> None:
    def early(n: int) -> tuple[Any, ...]:
        return later, lock, n

    lock = threading.Lock()
    refuse(early, r"cannot be pickled: 'lock' \(a _thread\.lock\)$")
    later = 1


def test_a_variable_that_has_no_value_yet_travels() -> None:
    def early() -> int:
        return later

    assert pickled_function(early, "spark_map")
    later = 1


def refuse(f: Callable[..., Any], sentence: str) -> None:
    with pytest.raises(InvalidArgumentError, match=sentence):
        pickled_function(f, "spark_map")
