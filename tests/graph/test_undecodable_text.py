# mypy: disable-error-code="union-attr, var-annotated"
"""Sources of text in a file with bytes that cannot be decoded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Sink, Source
from actors_rs.errors import ReadError, StageError
from actors_rs.stages.files import inputs, reading
from actors_rs.stages.files.inputs import Input
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


WIDE = {
    "utf-16": (b"\x00\xdc", 4),
    "utf-16-be": (b"\xdc\x00", 4),
    "utf-32": (b"\x00\x00\x11\x00", 8),
    "utf-7": (b"\xff", 2),
    "iso2022_jp": (b"\xff", 2),
    "gb18030": (b"\xff", 2),
}


@pytest.mark.parametrize("encoding", WIDE)
@pytest.mark.parametrize("before", [0, 3, 20_000])
@pytest.mark.parametrize("kind", [Source.lines, Source.jsonl])
def test_lines_before_one_that_cannot_be_decoded_are_given_whatever_the_encoding(
    tmp_path, encoding, before, kind
):
    path, seen, (bad, position) = tmp_path / "in", [], WIDE[encoding]
    good = "".join(f"{n}\n" for n in range(before)) + "12"
    path.write_bytes(good.encode(encoding) + bad + "\n5\n".encode(encoding))
    with World() as world:
        run = world.start(kind(path, encoding=encoding).to(Sink.for_each(seen.append)))
        with pytest.raises(StageError, match=f"in, line {before + 1}: .* can't decode") as caught:
            run.result()
    assert [int(n) for n in seen] == list(range(before))
    assert caught.value.__cause__.line == before + 1
    assert caught.value.__cause__.__cause__.start == position  # in the line


def test_text_that_breaks_off_within_a_character_is_told_by_its_line(tmp_path):
    path = tmp_path / "in"
    path.write_bytes("a\nb".encode("utf-16-le")[:-1])
    with World() as world:
        run = world.start(Source.lines(path, "utf-16-le").to(Sink.ignore()))
        with pytest.raises(StageError, match=r"in, line 2: .*truncated data"):
            run.result()


@given(
    text=st.text(st.sampled_from("ab\n\r\u3042\x0b\x85\u2028"), max_size=40),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "utf-7"]),
    newline=st.sampled_from([None, ""]),
    size=st.integers(1, 9),
)
def test_lines_are_those_that_open_gives_however_much_is_read_at_once(
    tmp_path_factory, text, encoding, newline, size
):
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(text.encode(encoding))
    with open(path, encoding=encoding, newline=newline) as file:
        expected = list(file)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(inputs, "BYTES_AT_ONCE", size)
        place = reading.Place()
        assert (
            list(reading.lines_of(Input(str(path), None).chunks(), encoding, place, newline))
            == expected
        )
    assert place.line == len(expected)


@pytest.mark.parametrize("kind", [Source.lines, Source.jsonl, Source.csv])
def test_a_mark_of_utf8_in_front_is_no_part_of_the_first_line(tmp_path, kind):
    path = tmp_path / "in"
    path.write_bytes(b"\xef\xbb\xbf1\n2\n")
    with World() as world:
        marked = world.start(kind(path).to(Sink.list())).result()
        path.write_bytes(b"1\n2\n")
        assert world.start(kind(path).to(Sink.list())).result() == marked
