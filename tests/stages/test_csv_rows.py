"""Source.csv: dialects, types, and rows that are none."""

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import ActorSystem, BadRow, Sink, Source
from actors_rs.errors import ArgumentTypeError, InvalidArgumentError, ReadError, StageError
from tests.graph.helpers import SECONDS, run


def listed(source):
    return run(source.to(Sink.list()))


def error_of(source):
    with pytest.raises(StageError) as caught:
        listed(source)
    assert isinstance(caught.value.__cause__, ReadError)
    return caught.value.__cause__


def written(tmp_path, text):
    path = tmp_path / "rows.csv"
    path.write_text(text, newline="")
    return path


@given(
    rows=st.lists(
        st.lists(st.text(st.sampled_from("ab,;'\"\\ \n\r"), max_size=5), min_size=2, max_size=2),
        max_size=5,
    ),
    options=st.fixed_dictionaries(
        {
            "delimiter": st.sampled_from(",;\t"),
            "quotechar": st.sampled_from("\"'"),
            "escapechar": st.sampled_from([None, "\\"]),
        }
    ),
)
def test_rows_are_those_of_the_csv_module_in_every_dialect(tmp_path_factory, rows, options):
    path = tmp_path_factory.getbasetemp() / "dialect.csv"
    with path.open("w", newline="") as file:
        csv.writer(file, **options, quoting=csv.QUOTE_ALL).writerows(rows)
    with path.open(newline="") as file:
        expected = list(csv.reader(file, **options, strict=True))
    assert listed(Source.csv(path, header=False, **options)) == expected


def test_space_after_the_delimiter_and_lines_before_the_header_are_left_out(tmp_path):
    path = written(tmp_path, 'A report, "2024\n\nname, age\nAda, "36"\n')
    rows = listed(Source.csv(path, skip_rows=2, skipinitialspace=True))
    assert rows == [{"name": "Ada", "age": "36"}]


def test_without_a_quotechar_quotes_are_letters(tmp_path):
    path = written(tmp_path, 'a\tb\n5"\t"x\n')
    assert listed(Source.csv(path, delimiter="\t", quotechar=None)) == [{"a": '5"', "b": '"x'}]


def test_types_turn_texts_into_values(tmp_path):
    path = written(tmp_path, "name,age\nAda,36\n")
    assert listed(Source.csv(path, types={"age": int})) == [{"name": "Ada", "age": 36}]
    rows = listed(Source.csv(path, header=False, skip_rows=1, types={1: float}))
    assert rows == [["Ada", 36.0]]


def test_a_value_that_a_type_does_not_take_is_named_with_file_line_and_column(tmp_path):
    path = written(tmp_path, "name,age\nAda,36\nAlan,old\n")
    error = error_of(Source.csv(path, types={"age": int}))
    assert str(error) == (
        f"could not read {path}, line 3: column 'age': invalid literal for int() with base 10: "
        "'old'"
    )


def test_a_type_for_a_column_that_is_not_there_is_an_error(tmp_path):
    path = written(tmp_path, "name,age\nAda,36\n")
    told = str(error_of(Source.csv(path, types={"Age": int})))
    assert "types: expected a column 'Age', found 'name', 'age'" in told
    told = str(error_of(Source.csv(path, header=False, types={2: int})))
    assert "line 1: types: expected a field 2, got 2 fields" in told


BAD = 'name,age\nAda,36\nshort\nAlan,old\n"Kurt"x,1\nEmmy,53\nlong,1,2\nMax,89\n'
BAD_LINES = [3, 4, 5, 7]


def test_bad_rows_that_are_skipped_are_dead_letters_and_counted(tmp_path):
    path = written(tmp_path, BAD)
    source = Source.csv(path, types={"age": int}, on_bad_row="skip")
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        going = system.start(source.to(Sink.list()))
        rows = going.result(SECONDS)
        letters: list[Any] = [one.what for one in system.dead_letters.recent()]
        stage = going.snapshot().stages[0]
    assert rows == [
        {"name": "Ada", "age": 36},
        {"name": "Emmy", "age": 53},
        {"name": "Max", "age": 89},
    ]
    assert [row.line for row in letters] == BAD_LINES
    assert [row.path for row in letters] == [str(path)] * 4
    assert [row.fields for row in letters] == [("short",), ("Alan", "old"), (), ("long", "1", "2")]
    assert [row.text for row in letters] == [BAD.splitlines(True)[n - 1] for n in BAD_LINES]
    assert stage.details["skipped"] == 4


@pytest.mark.parametrize(
    ("text", "more", "bad"),
    [
        ("a,b\nbad\n1,2\n", {}, [(2, "bad\n")]),
        ("# c1\n# c2\na,b\n1,2,3\nworse\n", {"skip_rows": 2}, [(4, "1,2,3\n"), (5, "worse\n")]),
        ("\n\na,b\n\n1,2,3\n\n1,2\n\r\nworse", {}, [(5, "1,2,3\n"), (9, "worse")]),
        ("\r\n\r\nbad,x\r\n", {"header": False, "types": {0: int}}, [(3, "bad,x\r\n")]),
        ('a,b\n\n"x\n\ny"\n1,2\n', {}, [(5, '"x\n\ny"\n')]),
        ('a,b\n\n1,"2\n3"4\n5,6\n', {}, [(4, '1,"2\n3"4\n')]),
    ],
)
def test_the_text_of_a_bad_row_is_its_lines_and_no_others(tmp_path, text, more, bad):
    path = written(tmp_path, text)
    source = Source.csv(path, on_bad_row=lambda row: (row.line, row.text), **more)
    assert [row for row in listed(source) if isinstance(row, tuple)] == bad


def test_empty_lines_before_a_bad_row_are_no_part_of_it(tmp_path):
    path = written(tmp_path, "a,b\n1,2\n\n\nbad\n")
    assert str(error_of(Source.csv(path))).endswith("line 5: expected 2 fields, got 1")


def test_a_function_gives_an_element_for_a_bad_row_or_skips_it(tmp_path):
    path = written(tmp_path, BAD)

    def repaired(row: BadRow):
        return {"name": row.fields[0], "age": 0} if len(row.fields) == 2 else None

    source = Source.csv(path, types={"age": int}, on_bad_row=repaired)
    assert {"name": "Alan", "age": 0} in listed(source)
    assert len(listed(source)) == 4


def test_a_function_for_bad_rows_that_raises_fails_the_stream_with_the_line(tmp_path):
    path = written(tmp_path, BAD)
    error = error_of(Source.csv(path, on_bad_row=lambda row: 1 // 0))
    assert error.line == 3
    assert isinstance(error.__cause__, ZeroDivisionError)


def test_a_quote_that_is_never_closed_is_told_with_the_line_where_its_row_begins(tmp_path):
    path = written(tmp_path, 'a,b\n1,2\n3,"4\n5,6\n7,8\n')
    told = "line 5: unexpected end of data, in the row that begins in line 3"
    assert told in str(error_of(Source.csv(path)))


def test_each_file_has_its_own_header_and_the_bad_file_is_named(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text("b,a\n3,4\n")
    assert listed(Source.csv(f"{tmp_path}/*.csv")) == [{"a": "1", "b": "2"}, {"b": "3", "a": "4"}]
    (tmp_path / "2.csv").write_text("b,a\n3\n")
    assert f"{tmp_path}/2.csv, line 2: expected 2 fields, got 1" in str(
        error_of(Source.csv(f"{tmp_path}/*.csv"))
    )


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"quotechar": ""}, ArgumentTypeError, "quotechar must be one character or None, got ''"),
        ({"escapechar": "\n"}, InvalidArgumentError, "escapechar must not be a line break"),
        (
            {"quotechar": ","},
            InvalidArgumentError,
            "delimiter must not be a line break or the quotechar",
        ),
        ({"skip_rows": -1}, InvalidArgumentError, "skip_rows must be at least 0"),
        ({"skipinitialspace": 1}, ArgumentTypeError, "skipinitialspace must be True or False"),
        ({"on_bad_row": "ignore"}, InvalidArgumentError, "on_bad_row must be 'fail', 'skip' or a"),
        ({"on_bad_row": 3}, ArgumentTypeError, "on_bad_row must be callable, got 3"),
        ({"types": ["a"]}, ArgumentTypeError, "types must be a dict"),
        ({"types": {"a": "int"}}, ArgumentTypeError, r"types\['a'\] must be callable, got 'int'"),
        ({"types": {0: int}}, ArgumentTypeError, "with header=False it has numbers of columns"),
        ({"types": {"a": int}, "header": False}, ArgumentTypeError, "must be an int, got 'a'"),
        (
            {"types": {"a": bool}},
            InvalidArgumentError,
            "bool makes True of every text that is not empty",
        ),
        ({"sep": ";"}, ArgumentTypeError, r"no option 'sep'; help\(Source.csv\)"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused_where_it_was_written(options, error, says):
    with pytest.raises(error, match=says):
        Source.csv(io.StringIO(""), **options)
