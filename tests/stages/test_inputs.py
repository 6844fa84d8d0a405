"""What sources of files read: paths, patterns, lists, standard input, open and compressed files."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Sink, Source
from actors_rs.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    MissingExtraError,
    ReadError,
    StageError,
)
from actors_rs.stages.files import compression, inputs
from tests.graph.helpers import run

zstandard = pytest.importorskip("zstandard")

COMPRESS = {
    "gzip": (".gz", gzip.compress),
    "bz2": (".bz2", bz2.compress),
    "xz": (".xz", lzma.compress),
    "zstd": (".zst", zstandard.ZstdCompressor().compress),
}
TEXT = "".join(f"line {n} ü\n" for n in range(5000))


def listed(source):
    return run(source.to(Sink.list()))


def error_of(source, seen=None):
    with pytest.raises(StageError) as caught:
        run(source.to(Sink.for_each((seen if seen is not None else []).append)))
    assert isinstance(caught.value.__cause__, ReadError)
    return caught.value.__cause__


@pytest.fixture
def folder(tmp_path):
    for name in ("b.txt", "a.txt", "c.log"):
        (tmp_path / name).write_text(f"{name} 1\n{name} 2\n")
    return tmp_path


def test_a_pattern_gives_the_files_that_match_in_the_order_of_their_names(folder):
    wanted = ["a.txt 1", "a.txt 2", "b.txt 1", "b.txt 2"]
    assert listed(Source.lines(f"{folder}/*.txt")) == wanted
    assert listed(Source.lines(folder / "[ab].txt")) == wanted


def test_a_pattern_is_looked_up_in_each_run(folder):
    graph = Source.lines(f"{folder}/*.txt").to(Sink.count())
    assert run(graph) == 4
    (folder / "d.txt").write_text("new\n")
    assert run(graph) == 5


def test_a_file_whose_name_looks_like_a_pattern_is_read(tmp_path):
    (tmp_path / "a[1].txt").write_text("x\n")
    assert listed(Source.lines(tmp_path / "a[1].txt")) == ["x"]


def test_a_pattern_without_a_file_is_an_error_that_names_it(tmp_path):
    error = error_of(Source.lines(f"{tmp_path}/*.none"))
    assert str(error) == (
        f"could not read {tmp_path}/*.none: expected files that match the pattern, found none"
    )


def test_a_list_is_read_in_its_order_and_the_file_at_fault_is_named(folder):
    with open(folder / "b.txt") as opened:
        source = Source.lines([folder / "c.log", opened, f"{folder}/a*"])
        assert [line[0] for line in listed(source)] == ["c", "c", "b", "b", "a", "a"]
    seen: list[str] = []
    error = error_of(Source.lines([folder / "a.txt", folder / "gone"]), seen)
    assert error.path == str(folder / "gone")
    assert seen == ["a.txt 1", "a.txt 2"]


@pytest.mark.parametrize("mode", ["r", "rb"])
def test_an_open_file_is_read_from_where_it_stands_and_stays_open(folder, mode):
    with open(folder / "a.txt", mode) as file:
        file.readline()
        assert listed(Source.lines(file)) == ["a.txt 2"]
        assert not file.closed
        file.seek(0)
        assert len(listed(Source.lines(file))) == 2


@pytest.mark.parametrize("mode", ["r", "rb"])
def test_a_second_run_over_an_open_file_at_its_end_is_refused_and_not_empty(folder, mode):
    with open(folder / "a.txt", mode) as file:
        graph = Source.lines(file).to(Sink.list())
        assert len(run(graph)) == 2
        with pytest.raises(StageError, match=r"GraphError: .* read to its end.* seek\(0\)"):
            run(graph)
        file.seek(0)
        assert len(run(graph)) == 2


def test_a_run_that_leaves_an_open_file_early_leaves_the_rest_to_the_next(tmp_path):
    file = io.StringIO("a\nb\nc\n")
    graph = Source.lines(file).with_attributes(window=1).take(1).to(Sink.list())
    assert run(graph) == ["a"]
    assert not file.closed
    assert run(graph)[0] in ("b", "c")


def test_files_in_memory_and_unnamed_ones_are_named_in_errors_by_their_repr():
    error = error_of(Source.jsonl(io.BytesIO(b"1\nno\n")))
    assert str(error).startswith("could not read open file <_io.BytesIO object at")
    assert error.line == 2


class NotOpen:
    """A file that a client such as fsspec has not opened yet."""

    def open(self):
        return io.BytesIO()


@pytest.mark.parametrize("kind", [Source.lines, Source.csv, Source.jsonl])
def test_compressed_data_that_is_read_as_text_names_the_argument(kind):
    data = io.BytesIO(gzip.compress(b"1\n"))
    assert "got gzip data: write compression='gzip'" in str(error_of(kind(data)))


@pytest.mark.parametrize("sink", [Sink.lines, Sink.csv, Sink.jsonl, Sink.parquet])
def test_an_address_is_no_path_of_a_sink(sink):
    with pytest.raises(InvalidArgumentError, match=r"an address: .* Sink.for_each"):
        sink("gs://a/b")


@pytest.mark.parametrize(
    "kind", [Source.lines, Source.bytes, Source.csv, Source.jsonl, Source.json]
)
@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        (3, ArgumentTypeError, "must be a text, a path, an open file or a list of these, got 3"),
        ([], InvalidArgumentError, "a list of at least one file"),
        (["a", 3], ArgumentTypeError, "must be a text, a path, an open file or a list"),
        ([""], InvalidArgumentError, "must not be empty"),
        (b"x", ArgumentTypeError, "must be a text, a path"),
        (NotOpen(), ArgumentTypeError, "NotOpen object at .*: give what its open\\(\\) returns"),
        ("s3://a/b", InvalidArgumentError, "'s3://a/b', an address: .* give the file object"),
    ],
)
def test_what_is_no_file_is_refused_where_it_was_written(kind, given, error, says):
    with pytest.raises(error, match=says):
        kind(given)


def test_files_that_are_closed_or_only_written_are_refused(tmp_path):
    with open(tmp_path / "x", "w") as file:
        with pytest.raises(InvalidArgumentError, match="open for reading"):
            Source.lines(file)
    with pytest.raises(InvalidArgumentError, match="which is closed"):
        Source.lines(file)


def test_bytes_of_a_text_file_are_refused_with_the_remedy():
    assert "open it with 'rb'" in str(error_of(Source.bytes(io.StringIO("x"))))


CHILD = """
import sys
from actors_rs import Sink, Source
print(Source.lines("-", compression=sys.argv[1] or None).run(Sink.list()), sys.stdin.closed)
"""


@pytest.mark.parametrize("kind", ["", "gzip"])
def test_a_dash_is_standard_input_which_stays_open(kind):
    text = "a\nü\n".encode()
    given = gzip.compress(text) if kind else text
    done = subprocess.run(
        [sys.executable, "-c", CHILD, kind], input=given, capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == "['a', 'ü'] False"


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("by", ["suffix", "argument", "open file"])
def test_compressed_files_are_read_by_suffix_or_argument(tmp_path, kind, by):
    suffix, compress = COMPRESS[kind]
    path = tmp_path / f"x{suffix.upper() if by == 'suffix' else '.bin'}"
    path.write_bytes(compress(TEXT.encode()))
    if by == "suffix":
        assert listed(Source.lines(path)) == TEXT.splitlines()
    elif by == "argument":
        assert listed(Source.lines(path, compression=kind)) == TEXT.splitlines()
    else:
        with open(path, "rb") as file:
            assert listed(Source.lines(file, compression=kind)) == TEXT.splitlines()


@pytest.mark.parametrize("kind", COMPRESS)
@given(
    parts=st.lists(st.binary(max_size=60), min_size=1, max_size=4),
    size=st.integers(1, 40),
    most=st.integers(1, 40),
)
def test_several_members_give_what_each_holds_however_much_is_read_at_once(
    tmp_path_factory, kind, parts, size, most
):
    suffix, compress = COMPRESS[kind]
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    path.write_bytes(b"".join(map(compress, parts)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(inputs, "BYTES_AT_ONCE", size)
        patched.setattr(compression, "_MOST", most)
        patched.setattr(compression, "_ZSTD_PIECE", most)
        chunks = list(inputs.Input(str(path), kind).chunks())
    assert b"".join(chunks) == b"".join(parts)


def test_zeros_behind_a_member_are_padding(tmp_path):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b"a\n") + bytes(512) + gzip.compress(b"b\n") + bytes(9))
    assert gzip.decompress(path.read_bytes()) == b"a\nb\n"
    assert listed(Source.lines(path)) == ["a", "b"]


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("members", [1, 2])
def test_a_file_that_breaks_off_gives_what_is_there_and_says_at_which_byte(tmp_path, kind, members):
    suffix, compress = COMPRESS[kind]
    path = tmp_path / f"x{suffix}"
    member = compress(os.urandom(20_000).hex().encode())
    whole = compress(b"first\n") * (members - 1) + member
    path.write_bytes(whole[:-10])
    seen: list[str] = []
    error = error_of(Source.lines(path), seen)
    assert isinstance(error.__cause__, EOFError)
    assert f"could not read {path}" in str(error)
    assert f"the {kind} data breaks off at byte {len(whole) - 10:,}" in str(error)
    assert seen == ["first"] * (members - 1)


@pytest.mark.parametrize("kind", COMPRESS)
def test_lines_before_the_place_where_a_file_breaks_off_are_given(tmp_path, kind):
    suffix, compress = COMPRESS[kind]
    path = tmp_path / f"x{suffix}"
    path.write_bytes(compress(TEXT.encode() + os.urandom(400_000).hex().encode())[:-9])
    seen: list[str] = []
    error = error_of(Source.lines(path), seen)
    assert seen == TEXT.splitlines()
    assert error.line == len(seen) + 1


@pytest.mark.parametrize("kind", COMPRESS)
def test_what_is_not_compressed_so_is_told_with_the_remedy(tmp_path, kind):
    suffix, compress = COMPRESS[kind]
    path = tmp_path / f"x{suffix}"
    path.write_text("plain text")
    assert f"expected {kind} data, got other or damaged bytes before byte 10" in str(
        error_of(Source.lines(path))
    )
    assert listed(Source.lines(path, compression=None)) == ["plain text"]
    path.write_bytes(compress(b"a\n") + b"rubbish")
    assert "after 1 complete member" in str(error_of(Source.lines(path)))


def test_a_gzip_file_whose_sum_is_wrong_is_damaged(tmp_path):
    data = bytearray(gzip.compress(b"a\n" * 50))
    data[-8] ^= 1
    (tmp_path / "x.gz").write_bytes(data)
    assert "damaged" in str(error_of(Source.lines(tmp_path / "x.gz")))


def test_zstd_without_its_library_says_what_to_install_when_the_source_is_written(monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    for make in (
        lambda: Source.lines("x.zst"),
        lambda: Source.csv(io.BytesIO(), compression="zstd"),
    ):
        with pytest.raises(MissingExtraError, match=r"pip install 'actors-rs\[zstd\]'"):
            make()


def test_a_compression_that_nobody_knows_is_refused():
    with pytest.raises(InvalidArgumentError, match="compression must be one of 'infer', 'gzip'"):
        Source.lines("x", compression="zip")  # type: ignore[arg-type]


@given(data=st.binary(max_size=100), size=st.integers(1, 30))
def test_bytes_come_in_chunks_of_the_size_asked_for(tmp_path_factory, data, size):
    path = tmp_path_factory.getbasetemp() / "chunks.gz"
    path.write_bytes(gzip.compress(data))
    chunks = listed(Source.bytes(path, size))
    assert chunks == [data[at : at + size] for at in range(0, len(data), size)]
