"""How far files are read: bytes of the files themselves, for progress and the time left."""

import bz2
import gzip
import io
import threading

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.observability.progress import progress_line
from tests.graph.helpers import SECONDS, wait_until

LINES = "n,rest\n" + "".join(f"{n},{n * n % 9973}\n" for n in range(60_000))


def figures_of(source):
    with ActorSystem(workers=2) as system:
        run = system.start(source.to(Sink.ignore()))
        run.result(SECONDS)
        return run.snapshot().stages[0].details


def whole(*files):
    size = sum(file.stat().st_size for file in files)
    return {"bytes_read": size, "bytes_total": size}


@pytest.mark.parametrize("read", [Source.lines, Source.csv, Source.bytes])
def test_at_the_end_all_bytes_are_read_those_of_compressed_files_as_they_are_on_disk(
    read, tmp_path
):
    files = [tmp_path / "a.csv", tmp_path / "b.csv.gz", tmp_path / "c.csv.bz2"]
    content = LINES.encode()
    compressed = [content, gzip.compress(content), bz2.compress(content)]
    for file, written in zip(files, compressed, strict=True):
        file.write_bytes(written)
    assert figures_of(read(str(tmp_path / "*"))) == whole(*files)


def test_json_and_jsonl_say_so_too(tmp_path):
    one, two = tmp_path / "a.json", tmp_path / "b.jsonl.gz"
    one.write_text("[1, 2]")
    two.write_bytes(gzip.compress(b"1\n2\n"))
    assert figures_of(Source.json(one)) == whole(one)
    assert figures_of(Source.jsonl([two])) == whole(two)


def test_parquet_counts_the_rows_that_were_read_as_their_part_of_the_file(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for name in ("a.parquet", "b.parquet"):
        parquet.write_table(pyarrow.table({"n": list(range(1000))}), tmp_path / name)
    both = whole(tmp_path / "a.parquet", tmp_path / "b.parquet")
    assert figures_of(Source.parquet(tmp_path, rows_per_batch=100)) == both
    assert figures_of(Source.parquet(tmp_path / "a.parquet"))["bytes_total"] < both["bytes_total"]


def test_a_progress_line_shows_the_bytes_and_the_time_that_is_left(tmp_path):
    file = tmp_path / "rows.csv.gz"
    file.write_bytes(gzip.compress(LINES.encode()))
    gate = threading.Event()
    with ActorSystem(workers=2) as system:
        flow = Source.lines(file).map(lambda line: gate.wait(SECONDS) and line)
        run = system.start(flow.with_attributes(window=1).to(Sink.count()))
        try:
            wait_until(lambda: run.snapshot().stages[0].details.get("bytes_read", 0) > 0)
            line = progress_line(run.snapshot())
            known = run.snapshot().stages[0].details
            assert 0 < known["bytes_read"] < known["bytes_total"] == file.stat().st_size
            assert "bytes)" in line
            assert " left" in line
        finally:
            run.cancel()
            gate.set()
            assert run.wait(SECONDS)


def test_the_size_of_an_open_file_is_not_known(tmp_path):
    assert figures_of(Source.lines(io.BytesIO(b"a\nb\n"))) == {"bytes_read": 4}
    assert figures_of(Source.lines(io.StringIO("a\nb\n"))) == {}


def test_two_runs_of_one_source_count_on_their_own(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("a\nb\n")
    source = Source.lines(file)
    assert figures_of(source) == figures_of(source) == whole(file)


def test_an_empty_file_and_a_missing_one_have_no_progress(tmp_path):
    file = tmp_path / "a.txt"
    file.touch()
    assert figures_of(Source.lines(file)) == {"bytes_read": 0, "bytes_total": 0}
    with ActorSystem(workers=2) as system:
        run = system.start(Source.lines([file, tmp_path / "gone"]).to(Sink.ignore()))
        with pytest.raises(Exception, match="gone"):
            run.result(SECONDS)
        assert "bytes_total" not in run.snapshot().stages[0].details


def test_a_file_that_grows_is_never_read_to_more_than_its_end(tmp_path):
    file = tmp_path / "log.txt"
    file.write_text("1\n")

    def grow(line):
        if line == "1":
            with file.open("a") as more:
                more.write("2\n")
        return line

    with ActorSystem(workers=2) as system:
        flow = Source.lines(file).map(grow).with_attributes(window=1)
        run = system.start(flow.to(Sink.ignore()))
        run.result(SECONDS)
        known = run.snapshot().stages[0].details
        assert known["bytes_read"] <= known["bytes_total"]
