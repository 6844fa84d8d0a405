"""What JSON does not have: the error names the element, the field and ``default=``."""

import dataclasses
import datetime as dt
import decimal
import json
import pathlib
import re
import uuid

import numpy
import pytest

from actors_rs import Sink, Source
from actors_rs.errors import InvalidArgumentError, StageError


@dataclasses.dataclass
class Price:
    cents: int


NOON = dt.datetime(2026, 3, 1, 12)
NOT_JSON = [
    (NOON, "a datetime", "str"),
    (NOON.date(), "a date", "str"),
    (decimal.Decimal("1.10"), "a Decimal", "str"),
    (uuid.UUID(int=7), "a UUID", "str"),
    (pathlib.PurePath("a"), "a Pure", "str"),
    (b"\xff", "a bytes", "bytes.hex"),
    ({1}, "a set", "list"),
    (Price(3), "a Price", "dataclasses.asdict"),
    (numpy.int64(3), "an int64", "lambda value: value.item()"),
    (numpy.array([1]), "a ndarray", "lambda value: value.tolist()"),
]
NAMES = [kind.split()[1] for _, kind, _ in NOT_JSON]


def failure_of(path, value, **options):
    with pytest.raises(StageError) as caught:
        Source.of({}, value).run(Sink.jsonl(path, **options))
    return str(caught.value)


@pytest.mark.parametrize(("value", "kind", "default"), NOT_JSON, ids=NAMES)
def test_the_error_names_element_field_and_what_to_pass(tmp_path, value, kind, default):
    path = tmp_path / "out.jsonl"
    text = failure_of(path, {"order": [1, {"at": value}]})
    assert f"at element 1: TypeError: Sink.jsonl: the element['order'][1]['at'] is {kind}" in text
    assert f"Sink.jsonl(path, default={default})" in text


@pytest.mark.parametrize(("value", "kind", "default"), NOT_JSON, ids=NAMES)
def test_what_it_says_works(tmp_path, value, kind, default):
    path = tmp_path / "out.jsonl"
    names = {"dataclasses": dataclasses}
    sink = Sink.jsonl(path, default=eval(default, names))
    assert Source.of({"at": [value]}).run(sink).rows == 1
    expected = {"at": [eval(default, names)(value)]}
    assert json.loads(path.read_text()) == expected


def test_an_element_that_is_no_value_of_json_itself(tmp_path):
    assert "Sink.jsonl: the element is a datetime" in failure_of(tmp_path / "o", NOON)


@pytest.mark.parametrize("options", [{}, {"default": str}], ids=["alone", "with default"])
def test_a_number_that_json_does_not_have_names_its_field(tmp_path, options):
    text = failure_of(tmp_path / "o", {"a": [0.5, float("nan")]}, **options)
    assert "at element 1: ValueError: Sink.jsonl: the element['a'][1] is nan" in text


def test_a_key_that_is_neither_text_nor_number_is_named(tmp_path):
    text = failure_of(tmp_path / "o", {"a": {(1, 2): 3}})
    assert "TypeError: Sink.jsonl: the element['a'] has the key (1, 2), a tuple" in text


def test_what_default_raises_is_the_failure(tmp_path):
    def refuse(value):
        raise TypeError(f"no {value} here")

    text = failure_of(tmp_path / "o", {"at": b"x"}, default=refuse)
    assert "at element 1: TypeError: no b'x' here" in text


def test_keys_that_default_makes_the_same_are_refused(tmp_path):
    text = failure_of(tmp_path / "o", b"x", default=lambda _: {1: "a", "1": "b"})
    assert "two that are written '1'" in text


def test_an_element_around_itself_is_told_as_such(tmp_path):
    around: list[object] = []
    around.append(around)
    assert re.search("ircular", failure_of(tmp_path / "o", around))


@pytest.mark.parametrize("default", [3, "str"])
def test_default_is_a_function(tmp_path, default):
    with pytest.raises(InvalidArgumentError, match="jsonl: default must be callable"):
        Sink.jsonl(tmp_path / "o", default=default)
