# mypy: disable-error-code="union-attr, var-annotated"
"""Sources of text in a file with bytes that cannot be decoded."""

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import ReadError, StageError
from actors_rs.testing.world.world import World

SOURCES = {
    "lines": (lambda path: Source.lines(path), b"%d\n"),
    "jsonl": (lambda path: Source.jsonl(path), b'"%d"\n'),
    "csv": (lambda path: Source.csv(path, header=False).map("".join), b"%d\n"),
}
BAD = {
    "no_utf8": b"caf\xe9",
    "half_a_character": b"\xe2\x82",
    "a_surrogate": b"\xed\xa0\x80",
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("before", [0, 3, 2000])
def test_lines_before_one_that_cannot_be_decoded_are_given_and_it_is_named(
    tmp_path, kind, bad, before
):
    make, line = SOURCES[kind]
    path, seen = tmp_path / "in", []
    good = [line % n for n in range(before)]
    path.write_bytes(b"".join(good) + BAD[bad] + b"\n" + line % 1)
    with World() as world:
        run = world.start(make(path).to(Sink.for_each(seen.append)))
        with pytest.raises(StageError) as caught:
            run.result()
    assert seen == [str(n) for n in range(before)]
    error = caught.value.__cause__
    assert isinstance(error, ReadError)
    assert error.line == before + 1
    assert isinstance(error.__cause__, UnicodeDecodeError)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "shift_jis", "utf-7"])
def test_what_can_be_decoded_is_as_it_was_written(tmp_path, encoding):
    texts = ["plain", "\u3042\u3044", "", "\u30a2 b"]
    path = tmp_path / "in"
    path.write_text("\n".join(texts), encoding=encoding)
    with World() as world:
        run = world.start(Source.lines(path, encoding).to(Sink.list()))
        assert run.result() == texts


def test_where_lines_cannot_be_told_the_last_one_before_is_named(tmp_path):
    path = tmp_path / "in"
    path.write_bytes(("a\n" * 20_000).encode("utf-16") + b"\x00\xdc\n\x00")
    with World() as world:
        run = world.start(Source.lines(path, "utf-16").to(Sink.ignore()))
        with pytest.raises(StageError, match="behind line") as caught:
            run.result()
    assert 0 < caught.value.__cause__.line <= 20_000


@pytest.mark.parametrize("kind", [Source.lines, Source.jsonl, Source.csv])
def test_a_mark_of_utf8_in_front_is_no_part_of_the_first_line(tmp_path, kind):
    path = tmp_path / "in"
    path.write_bytes(b"\xef\xbb\xbf1\n2\n")
    with World() as world:
        marked = world.start(kind(path).to(Sink.list())).result()
        path.write_bytes(b"1\n2\n")
        assert world.start(kind(path).to(Sink.list())).result() == marked
