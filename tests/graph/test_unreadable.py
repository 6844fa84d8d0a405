"""Files that cannot be read to their end: what is said of the place is true."""

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import ReadError, StageError
from tests.graph.helpers import SECONDS


@pytest.mark.parametrize(
    ("kind", "content", "place", "line"),
    [
        (Source.jsonl, b"1\n\xc3", "line 2: 'utf-8' codec", 2),
        (Source.jsonl, b"1\n{\n", "line 2: Expecting property", 2),
        (Source.lines, b"1\n\xc3", "line 2: 'utf-8' codec", 2),
        (Source.csv, b"a\n1\n\xc3", "line 3: 'utf-8' codec", 3),
        (Source.csv, b'a\n1\n"2\n\n', "line 4: unexpected end of data", 4),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(shared, tmp_path, kind, content, place, line):
    path = tmp_path / "rows"
    path.write_bytes(content)
    with pytest.raises(StageError) as caught:
        shared.start(kind(path).to(Sink.list())).result(SECONDS)
    error = caught.value.__cause__
    assert isinstance(error, ReadError)
    assert f"{path}, {place}" in str(error)
    assert error.line == line


@pytest.mark.parametrize("kind", [Source.lines, Source.jsonl, Source.csv])
def test_a_file_that_cannot_be_opened_is_named_also_among_many(shared, tmp_path, kind):
    (tmp_path / "a").write_text("1\n")
    files = Source.of(tmp_path / "a", tmp_path / "gone").flat_map(kind)
    with pytest.raises(StageError) as caught:
        shared.start(files.to(Sink.list())).result(SECONDS)
    assert isinstance(caught.value.__cause__, ReadError)
    assert caught.value.__cause__.path == str(tmp_path / "gone")
