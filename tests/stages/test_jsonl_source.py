"""``Source.jsonl`` and ``Source.lines`` at input that is no JSON, or no text."""

import json
from typing import Any

import pytest

from actors_rs import ActorSystem, BadRow, Sink, Source
from actors_rs.errors import ArgumentTypeError, InvalidArgumentError, ReadError, StageError

SECONDS = 20
DEEP = "[" * 100_000
BAD = f'{{"id": 1}}\n{{"id": \n\n{{"id": 2}}\n{DEEP}\nnull\n'


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(BAD)
    return path


def listed(source):
    return source.run(Sink.list(), timeout=SECONDS)


def error_of(source):
    with pytest.raises(StageError) as caught:
        listed(source)
    assert isinstance(caught.value.__cause__, ReadError)
    return caught.value.__cause__


def test_bad_lines_that_are_skipped_are_dead_letters_and_counted(path):
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        run = system.start(Source.jsonl(path, on_bad_row="skip").to(Sink.list()))
        assert run.result(SECONDS) == [{"id": 1}, {"id": 2}, None]
        letters = system.dead_letters.recent()
        stage = run.snapshot().stages[0]
    rows: list[Any] = [letter.what for letter in letters]
    assert all(isinstance(row, BadRow) for row in rows)
    assert [(row.path, row.line, row.text, row.fields) for row in rows] == [
        (str(path), 2, '{"id": \n', ()),
        (str(path), 5, f"{DEEP}\n", ()),
    ]
    assert isinstance(letters[0].error, ReadError)
    assert stage.details["skipped"] == 2


def test_a_function_gives_an_element_for_a_bad_line_or_skips_it(path):
    source = Source.jsonl(path, on_bad_row=lambda bad: bad.text if bad.line == 2 else None)
    assert listed(source) == [{"id": 1}, '{"id": \n', {"id": 2}, None]


def test_a_bad_line_fails_the_stream_by_default_after_the_lines_before_it(path):
    assert error_of(Source.jsonl(path)).line == 2
    source = Source.jsonl(path).recover(lambda error: "failed")
    assert listed(source) == [{"id": 1}, "failed"]


def test_a_function_for_bad_lines_that_raises_fails_the_stream_with_the_line(path):
    error = error_of(Source.jsonl(path, on_bad_row=lambda bad: 1 // 0))
    assert error.line == 2
    assert isinstance(error.__cause__, ZeroDivisionError)


def order_of(value):
    if not isinstance(value, dict):
        raise TypeError("no order")
    return value["id"], value["cents"]


ORDERS = '{"id": 1, "cents": 5}\n42\n\n{"id": 2}\n{"id"\n{"id": 3, "cents": 6}\n'


def test_a_value_that_parse_refuses_is_a_bad_row_with_its_line_as_one_that_is_no_json(path):
    path.write_text(ORDERS)
    bad: list[BadRow] = []
    source = Source.jsonl(path, parse=order_of, on_bad_row=bad.append)
    assert listed(source) == [(1, 5), (3, 6)]
    assert [(row.line, row.text) for row in bad] == [
        (2, "42\n"),
        (4, '{"id": 2}\n'),
        (5, '{"id"\n'),
    ]
    assert [str(row.error) for row in bad[:2]] == [
        "parse: TypeError: no order",
        "parse: KeyError: 'cents'",
    ]
    assert isinstance(bad[1].error.__cause__, KeyError)


def test_parse_that_raises_fails_the_stream_with_the_line_by_default(path):
    path.write_text(ORDERS)
    error = error_of(Source.jsonl(path, parse=order_of))
    assert (error.line, "no order" in str(error)) == (2, True)


def test_parse_gives_the_elements_also_none(path):
    path.write_text("1\n2\n")
    assert listed(Source.jsonl(path, parse={1: None, 2: "b"}.get)) == [None, "b"]


def test_parse_must_be_a_plain_function():
    with pytest.raises(ArgumentTypeError, match=r"Source\.jsonl: parse"):
        Source.jsonl("rows.jsonl", parse=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "kind"), [("ignore", InvalidArgumentError), (3, ArgumentTypeError)]
)
def test_a_policy_that_does_not_exist_is_refused_where_it_is_written(value, kind):
    with pytest.raises(kind, match=r"Source\.jsonl: on_bad_row must be"):
        Source.jsonl("rows.jsonl", on_bad_row=value)


def test_bytes_that_are_no_text_are_decoded_as_errors_says(tmp_path):
    path = tmp_path / "log.txt"
    path.write_bytes("é\n".encode() + b"a\xffb\n" + "é".encode() * 50_000 + b"\n\xc3")
    lines = ["é", "a\ufffdb", "é" * 50_000, "\ufffd"]
    assert listed(Source.lines(path, errors="replace")) == lines
    assert listed(Source.lines(path, errors="ignore")) == ["é", "ab", "é" * 50_000]
    assert listed(Source.lines(path, errors="surrogateescape"))[1] == "a\udcffb"
    assert error_of(Source.lines(path)).line == 2


def test_lines_with_bytes_that_are_no_text_can_be_read_as_json(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"name": "\xff"}\n')
    for rows in (
        Source.lines(path, errors="replace").map(json.loads),
        Source.jsonl(path, errors="replace"),
        Source.csv(path, header=False, quotechar="'", delimiter=";", errors="replace").map(
            lambda row: json.loads(row[0])
        ),
    ):
        assert listed(rows) == [{"name": "\ufffd"}]


@pytest.mark.parametrize("errors", ["replaced", "xmlcharrefreplace", "", 3, None])
@pytest.mark.parametrize("name", ["lines", "csv", "jsonl"])
def test_a_handler_that_cannot_decode_is_refused_where_it_is_written(name, errors):
    with pytest.raises(InvalidArgumentError, match=rf"Source\.{name}: errors must be a handler"):
        getattr(Source, name)("log.txt", errors=errors)
