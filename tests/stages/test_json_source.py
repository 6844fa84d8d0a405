"""Source.json: arrays of documents, streamed or read at once."""

import gzip
import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Sink, Source
from actors_rs.errors import MissingExtraError, ReadError, StageError
from tests.graph.helpers import run

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"]), max_size=3), inner, max_size=3
        )
    ),
    max_leaves=8,
)


def listed(source):
    return run(source.to(Sink.list()))


def error_of(source, seen=None):
    with pytest.raises(StageError) as caught:
        run(source.to(Sink.for_each((seen if seen is not None else []).append)))
    assert isinstance(caught.value.__cause__, ReadError)
    return caught.value.__cause__


@given(values=st.lists(VALUES, max_size=5))
def test_streamed_items_are_those_of_json_to_the_last_digit(tmp_path_factory, values):
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps({"n": 1, "rows": values}))
    got = listed(Source.json(path, items="rows.item"))
    assert repr(got) == repr(values)
    path.write_text(json.dumps(values))
    assert repr(listed(Source.json(path, items="item"))) == repr(values)
    assert repr(listed(Source.json(path))) == repr(values)


def test_a_document_that_is_no_array_is_one_element(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"a": [1, 2]}')
    assert listed(Source.json(path)) == [{"a": [1, 2]}]
    assert listed(Source.json(path, items="a")) == [[1, 2]]


@pytest.mark.parametrize("items", [None, "item"])
def test_marks_compression_lists_and_open_files_are_taken(tmp_path, items):
    (tmp_path / "a.json").write_text("[1]", "utf-8-sig")
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(b"[2]"))
    given = [tmp_path / "a.json", f"{tmp_path}/*.gz", io.StringIO("[3]"), io.BytesIO(b"[4]")]
    assert listed(Source.json(given, items=items)) == [1, 2, 3, 4]


def test_items_come_before_the_document_has_been_read_to_its_end(tmp_path):
    class Endless(io.RawIOBase):
        def readable(self):
            return True

        def read(self, size=-1):
            return b'{"rows": [' + b"1," * 2000 if size else b""

    source = Source.json(Endless(), items="rows.item")
    assert listed(source.take(3)) == [1, 1, 1]


def test_a_name_that_is_not_there_is_an_error_and_no_empty_stream(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"type": "x", "features": [], "b": {"item": 1}}')
    assert listed(Source.json(path, items="features.item")) == []
    told = str(error_of(Source.json(path, items="feature.item")))
    assert told == (
        f"could not read {path}: expected an array or a value at items='feature.item', found "
        "none: the outermost object has 'type', 'features', 'b'"
    )


def test_what_is_no_json_is_told_with_its_place_after_the_items_before(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("[1,\n 2,\n nope]")
    assert str(error_of(Source.json(path))) == (
        f"could not read {path}, line 3: Expecting value: column 2"
    )
    seen: list[int] = []
    told = str(error_of(Source.json(path, items="item"), seen))
    assert "before byte 14, after 2 elements" in told
    assert "\n" not in told
    assert seen == [1, 2]


def test_a_document_that_breaks_off_is_an_error(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("[1, 2, ")
    seen: list[int] = []
    assert "after " in str(error_of(Source.json(path, items="item"), seen))
    assert seen == [1, 2]


def test_without_ijson_the_call_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ijson", None)
    Source.json("x.json")
    with pytest.raises(MissingExtraError, match=r"pip install 'actors-rs\[json\]'"):
        Source.json("x.json", items="item")
