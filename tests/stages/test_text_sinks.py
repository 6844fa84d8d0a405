# mypy: disable-error-code="arg-type, call-overload, assignment, operator, misc, no-any-return"
"""Sinks of one text file: lines, CSV and JSON lines, compressed or not, complete or not there."""

import bz2
import csv
import gzip
import io
import json
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import ActorSystem, Sink, Source, merge
from actors_rs.errors import ArgumentTypeError, InvalidArgumentError, RunCancelled, StageError
from tests.graph.helpers import SECONDS, run, wait_until

zstandard = pytest.importorskip("zstandard")

READ = {
    "": bytes,
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
    ".zst": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
}
SINKS = {
    "lines": (Sink.lines, ["a", "ü"], "a\nü\n"),
    "csv": (Sink.csv, [{"n": 1, "t": "ü"}, {"n": None, "t": 'a"\n'}], 'n,t\r\n1,ü\r\n,"a""\n"\r\n'),
    "jsonl": (Sink.jsonl, [1, {"a": "ü"}], '1\n{"a": "ü"}\n'),
}


@pytest.mark.parametrize("suffix", READ)
@pytest.mark.parametrize("kind", SINKS)
def test_a_file_is_written_compressed_by_its_suffix_and_read_back(tmp_path, kind, suffix):
    make, elements, text = SINKS[kind]
    path = tmp_path / f"out.{kind}{suffix}"
    report = run(Source.of(*elements).to(make(path)))
    assert (report.files, report.rows) == ((str(path),), len(elements))
    assert READ[suffix](path.read_bytes()).decode() == text
    read = {"lines": Source.lines, "csv": Source.csv, "jsonl": Source.jsonl}[kind]
    again = run(read(path).to(Sink.list()))
    wanted = elements if kind != "csv" else [{"n": "1", "t": "ü"}, {"n": "", "t": 'a"\n'}]
    assert again == wanted


@pytest.mark.parametrize("compression", ["gzip", None])
def test_a_compression_that_is_named_counts_and_not_the_suffix(tmp_path, compression):
    path = tmp_path / "out.bz2"
    run(Source.of("a").to(Sink.lines(path, compression=compression)))
    assert (gzip.decompress if compression else bytes)(path.read_bytes()) == b"a\n"


@pytest.mark.parametrize("suffix", READ)
@pytest.mark.parametrize("end", ["cancel", "failure"])
def test_what_is_incomplete_is_never_seen_and_the_old_file_stays(tmp_path, suffix, end):
    path = tmp_path / f"out{suffix}"
    path.write_text("old")
    lines = Source.range(0, 30).map(str)
    if end == "failure":
        lines = lines.map(lambda text: text if text != "25" else str(1 // 0))
    with ActorSystem() as system:
        going = system.start(merge(lines, Source.never()).to(Sink.lines(path)))
        if end == "cancel":
            wait_until(lambda: going.snapshot().stages[-1].elements_in == 30)
            assert path.read_text() == "old"
            going.cancel()
        with pytest.raises(RunCancelled if end == "cancel" else StageError):
            going.result(SECONDS)
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_the_same_elements_give_the_same_compressed_bytes(tmp_path):
    for name in ("a.gz", "b.gz"):
        run(Source.of("x", "y").to(Sink.lines(tmp_path / name)))
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


@given(
    rows=st.lists(
        st.lists(
            st.text(st.characters(exclude_categories=["Cs"]), max_size=4), min_size=3, max_size=3
        ),
        min_size=1,
        max_size=4,
    )
)
def test_rows_are_written_as_the_csv_module_does_and_come_back_as_they_were(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    run(Source.of(*rows).to(Sink.csv(path)))
    wanted = io.StringIO(newline="")
    csv.writer(wanted).writerows(rows)
    assert path.read_bytes() == wanted.getvalue().encode()
    assert run(Source.csv(path, header=False).to(Sink.list())) == rows


def written(tmp_path, elements, *args, **options):
    path = tmp_path / "out.csv"
    run(Source.of(*elements).to(Sink.csv(path, *args, **options)))
    return path.read_bytes().decode().split("\r\n")[:-1]


def test_columns_choose_the_order_and_are_written_without_a_row(tmp_path):
    assert written(tmp_path, [{"b": 2, "a": 1}, [3, 4]], ["a", "b"]) == ["a,b", "1,2", "3,4"]
    assert written(tmp_path, [], ["a", "b"]) == ["a,b"]
    assert written(tmp_path, [{"a": 1}], header=False) == ["1"]
    assert written(tmp_path, [{"a": 1, "b": 2}, {"b": 3}], delimiter=";") == ["a;b", "1;2", ";3"]


BAD = [
    (Sink.csv, [{"a": 1}, {"a": 1, "z": 2}], "expected the columns 'a', got 'z' as well"),
    (Sink.csv, [{"a": 1}, {"z": 2}], "expected the columns 'a', got 'z' as well"),
    (Sink.csv, [[1, 2], [1]], "expected 2 fields, got 1"),
    (Sink.csv, [[1], {"a": 1}], "expected a list, like the first row, got a dict"),
    (Sink.csv, [[1], []], "expected 1 fields, got 0"),
    (Sink.csv, [[1], "ab"], "expected a dict, a list or a tuple, got str: 'ab'"),
    (Sink.csv, [[1], ["\udc80"]], "surrogates not allowed"),
    (Sink.lines, ["a", 3], r"expected a text \(put map\(str\) before the sink\), got int: 3"),
    (Sink.lines, ["a", "b\nc"], r"expected a text without line ends .*, got 'b\\nc'"),
    (Sink.lines, ["a", "b\r"], "expected a text without line ends"),
    (Sink.lines, ["a", "\udc80"], "surrogates not allowed"),
]


@pytest.mark.parametrize("element", ["abc\n" * 50_000, list(range(50_000))])
def test_the_error_of_a_line_shows_the_remedy_before_a_few_characters_of_the_data(
    tmp_path, element
):
    with pytest.raises(StageError) as caught:
        run(Source.of(element).to(Sink.lines(tmp_path / "out.txt")))
    said = str(caught.value.__cause__)
    assert len(said) < 150
    remedies = [said.find(remedy) for remedy in ("Sink.jsonl", "map(str)")]
    assert 0 < max(remedies) < said.find(", got ")


@pytest.mark.parametrize(("make", "elements", "says"), BAD)
def test_an_element_that_cannot_be_written_follows_the_policy(tmp_path, make, elements, says):
    path = tmp_path / "out.gz"
    with pytest.raises(StageError, match=f"at element 1: .*{says}"):
        run(Source.of(*elements).to(make(path)))
    assert not path.exists()
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        graph = Source.of(*elements, elements[0]).to(make(path).on_failure("resume"))
        assert system.start(graph).result(SECONDS).rows == 2
        assert [one.what for one in system.dead_letters.recent()] == [elements[1]]


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: Sink.lines(3), ArgumentTypeError, "Sink.lines: path must be a text or a path"),
        (lambda: Sink.csv("x", "ab"), ArgumentTypeError, "columns must be a list of names"),
        (lambda: Sink.csv("x", ["a", "a"]), InvalidArgumentError, "at least one name, each once"),
        (lambda: Sink.csv("x", header=1), ArgumentTypeError, "header must be True or False"),
        (lambda: Sink.csv("x", delimiter=""), InvalidArgumentError, "delimiter"),
        (lambda: Sink.jsonl("x", compression="zip"), InvalidArgumentError, "compression must be"),
    ],
)
def test_an_argument_that_makes_no_sense_is_refused_where_it_was_written(make, error, says):
    with pytest.raises(error, match=says):
        make()


def test_a_large_compressed_file_is_read_back_in_json(tmp_path):
    path = tmp_path / "out.jsonl.gz"
    rows = [{"n": n, "t": "x" * (n % 50)} for n in range(20_000)]
    run(Source.of(*rows).to(Sink.jsonl(path)))
    with gzip.open(path, "rt") as file:
        assert [json.loads(line) for line in file] == rows
