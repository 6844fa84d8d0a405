# mypy: disable-error-code="arg-type"
"""Disks that get full: no element's fault, and what is half written is never published."""

import json
import sqlite3
from random import Random

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError, WriteError
from actors_rs.stages.sinks.files.jsonl import Jsonl
from actors_rs.stages.sinks.files.parquet import Parquet
from actors_rs.stages.sinks.files.writing import PendingFile
from tests.graph.helpers import SECONDS
from tests.room import no_file_beyond
from tests.stages.harness import Alone

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402 - behind the check that it is there

ROOM, MORE = 60_000, 10_000_000
TABLE = "CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)"
INSERT = "INSERT INTO t VALUES (:n, :text)"
SINKS = {
    "jsonl": lambda folder: Sink.jsonl(folder / "out.jsonl"),
    "parquet": lambda folder: Sink.parquet(folder / "rows", rows_per_file=100),
    "parquet_in_one": lambda folder: Sink.parquet(folder / "rows"),
    "sqlite": lambda folder: Sink.sqlite(folder / "out.db", INSERT, batch=50, setup=TABLE),
}
POLICIES = {
    "resume": {"policy": "resume"},
    "restart": {"policy": "restart"},
    "decider": {"decider": lambda error, element: "resume"},
}


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def rows(n, then=lambda: None):
    """``n`` rows of which few fit into ``ROOM``; ``then()`` comes before the last few."""
    draw = Random(1).randbytes
    for number in range(n):
        if number == n - 50:
            then()
        yield {"n": number, "text": draw(500).hex()}


def complete(folder):
    """The numbers in all that has been published; fails the test if something is broken."""
    for path in folder.rglob("*.jsonl"):
        yield from (json.loads(line)["n"] for line in path.read_text().splitlines())
    for path in folder.rglob("part-*.parquet"):
        yield from parquet.read_table(path)["n"].to_pylist()
    for path in folder.rglob("*.db"):
        with sqlite3.connect(path) as database:
            yield from (n for (n,) in database.execute("SELECT n FROM t ORDER BY n"))


@pytest.mark.parametrize(
    ("name", "form"),
    [*((name, "rows") for name in SINKS), *(("parquet", form) for form in ("lists", "batches"))],
)
@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES.keys())
def test_a_full_disk_stops_the_run_whatever_the_policy_and_publishes_nothing_half_written(
    system, tmp_path, name, policy, form
):
    sink = SINKS[name](tmp_path).on_failure(**policy)
    elements = Source.from_iterable(lambda: rows(1000)).with_attributes(window=16)
    if form != "rows":
        elements = elements.batch(20)
    if form == "batches":
        elements = elements.map(pa.RecordBatch.from_pylist)
    with no_file_beyond(ROOM):
        run = system.start(elements.to(sink))
        with pytest.raises(StageError, match=f"failed: WriteError: .* write {tmp_path}") as e:
            run.result(SECONDS)
    assert e.value.position is None
    assert system.dead_letters.total == 0
    done = list(complete(tmp_path))
    assert done == list(range(len(done)))
    assert len(done) < 1000
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".")]


@pytest.mark.parametrize("fanned", [False, True])
@pytest.mark.parametrize("name", ["jsonl", "parquet", "sqlite"])
def test_room_that_is_made_behind_a_failed_write_does_not_bring_a_broken_file_about(
    tmp_path, name, fanned
):
    sink = SINKS[name](tmp_path).with_attributes(window=16).on_failure("resume")
    with no_file_beyond(ROOM):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]

        def make_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (MORE, hard))

        source = Source.from_iterable(lambda: rows(1000, make_room))
        with pytest.raises(StageError, match="WriteError: could not write"):
            source.run(Sink.fan(sink, Sink.count()) if fanned else sink)
    done = list(complete(tmp_path))
    assert done == list(range(len(done)))


def test_what_could_not_be_written_is_not_published(tmp_path):
    pending = PendingFile(tmp_path / "out.jsonl")
    pending.claim()
    with pytest.raises(WriteError, match=r"out\.jsonl: no room"), pending.writing():
        raise OSError("no room")
    with pytest.raises(OSError, match="a write to it has failed before"):
        pending.publish()
    pending.discard()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("first", [None, pa.schema({"n": pa.int64()})], ids=["first", "given"])
def test_data_of_another_schema_is_the_elements_fault_and_the_file_is_written_on(
    system, tmp_path, first
):
    batches = [pa.RecordBatch.from_pylist([{"n": n}]) for n in range(4)]
    other = pa.RecordBatch.from_pylist([{"n": "two"}])
    more = pa.RecordBatch.from_pylist([{"n": 1, "m": 1}])
    elements = [batches[0], other, batches[1], pa.Table.from_batches([more]), *batches[2:]]
    sink = Sink.parquet(tmp_path, first).on_failure("resume")
    assert system.start(Source.of(*elements).to(sink)).result(SECONDS).rows == 4
    assert list(complete(tmp_path)) == [0, 1, 2, 3]
    letters = {one.error.position: str(one.error) for one in system.dead_letters.recent()}
    assert set(letters) == {1, 3}
    assert "ValueError: expected data of the schema that is written" in letters[1]
    assert "got string in column 'n', which is int64 there" in letters[1]
    assert "got a column 'm', which is not there" in letters[3]


@pytest.mark.parametrize("kind", [Jsonl, Parquet])
@pytest.mark.parametrize("full", [False, True])
def test_rows_of_a_file_that_a_section_throws_away_are_told(tmp_path, kind, full):
    logic = Jsonl(tmp_path / "o.jsonl") if kind is Jsonl else Parquet(tmp_path, None, 1_000_000)
    lost: list[object] = []
    logic.on_lost = lost.extend
    alone = Alone(logic)
    elements = list(rows(20))
    if kind is Parquet:
        elements = [pa.RecordBatch.from_pylist([row]) for row in elements]
    alone.push(*elements[:8])
    if full:
        with no_file_beyond(0):
            for element in elements[8:]:
                if not alone.up.cancelled:
                    alone.push(element)
        assert alone.up.cancelled
    else:
        alone.fail(ValueError("another stage's"))
    logic.stop(None)
    taken = logic.inlet.count
    (told,) = [one for one in lost if isinstance(one, str)]
    assert told.endswith(", which was not finished")
    assert str(tmp_path) in told
    held = list(logic.held())
    assert int(told.split()[0]) + len(held) == taken
    assert len(held) == (full and kind is Parquet)
    assert list(tmp_path.iterdir()) == []
