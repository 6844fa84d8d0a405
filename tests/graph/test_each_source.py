# mypy: disable-error-code="arg-type, var-annotated"
"""Every source to every demand, and cancelled anywhere."""

import json
import sqlite3
from types import SimpleNamespace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from actors_rs import Sink, Source
from tests.graph.helpers import SECONDS, wait_until
from tests.graph.models import Asker, demands, numbers, quick, windows
from tests.graph.test_sources import MADE, SOURCES


@pytest.fixture(scope="module")
def place(shared, tmp_path_factory):
    """A system, and a folder for the file that is read."""
    return SimpleNamespace(system=shared, file=tmp_path_factory.mktemp("read") / "rows")


def written(place, lines):
    place.file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return place.file


def a_table(place, xs):
    database = sqlite3.connect(place.file.with_suffix(".db"))
    with database:
        database.execute("CREATE TABLE IF NOT EXISTS t (n INTEGER)")
        database.execute("DELETE FROM t")
        database.executemany("INSERT INTO t VALUES (?)", [(x,) for x in xs])
    database.close()
    return place.file.with_suffix(".db")


def some_files(place, xs):
    folder = place.file.with_suffix(".files")
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for x in xs:
        (folder / f"{x + 100:03}.txt").touch()
    return Source.files(folder / "*.txt").map(lambda path: int(path.stem) - 100)


def batches(place, xs):
    path = place.file.with_suffix(".parquet")
    parquet.write_table(pa.table({"n": pa.array(xs, pa.int64())}), path)
    source = Source.parquet(path, rows_per_batch=4)
    return source.map(lambda batch: batch.column("n").to_pylist())


def fours(xs):
    return [xs[i : i + 4] for i in range(0, len(xs), 4)]


# Each entry: a source of numbers that come from outside, the same on a list.
OUTSIDE = {
    "csv": (lambda place, xs: Source.csv(written(place, ["n", *xs])).map(lambda r: r["n"]), str),
    "jsonl": (lambda place, xs: Source.jsonl(written(place, map(json.dumps, xs))), int),
    "lines": (lambda place, xs: Source.lines(written(place, xs)), str),
    "sqlite": (
        lambda place, xs: Source.sqlite(a_table(place, xs), "SELECT n FROM t ORDER BY rowid"),
        lambda x: (x,),
    ),
    "from_publisher": (
        lambda place, xs: Source.from_publisher(place.system.publisher(Source.of(*xs))),
        int,
    ),
}
MADE_OF = {
    **{name: (lambda _, xs, f=f: f(xs), model) for name, (f, model) in SOURCES.items()},
    **{name: (f, lambda xs, each=each: list(map(each, xs))) for name, (f, each) in OUTSIDE.items()},
    "files": (some_files, lambda xs: sorted(set(xs))),
    "parquet": (batches, fours),
    "timer": (lambda _, xs: Source.timer(1e-4), lambda xs: [0]),
    "empty": (lambda _, xs: Source.empty(), lambda xs: []),
}


@pytest.mark.parametrize("name", MADE_OF)
@quick
@given(
    xs=numbers,
    window=windows,
    demand=demands,
    inside=st.booleans(),
    cancels_behind=st.none() | st.integers(1, 12),
)
def test_a_source_keeps_to_every_demand_and_to_its_end_or_a_cancellation(
    place, name, xs, window, demand, inside, cancels_behind
):
    make, model = MADE_OF[name]
    source, expected = make(place, xs), model(xs)
    graph = source.to(Sink.list().with_attributes(window=window))
    assert place.system.start(graph).result(SECONDS) == expected
    MADE.clear()
    asker = Asker(demand, inside, cancels_behind)
    place.system.publisher(source).subscribe(asker)
    end = asker.drive()
    assert asker.faults == []
    if asker.cancelled:
        assert asker.elements == expected[: len(asker.elements)]
    else:
        assert (end, asker.elements) == ("complete", expected)
    wait_until(lambda: all(resource.closed == 1 for resource in MADE))


@quick
@given(demand=demands, inside=st.booleans(), cancels_behind=st.integers(1, 5))
def test_ticks_rise_and_none_comes_that_was_not_asked_for(place, demand, inside, cancels_behind):
    asker = Asker(demand, inside, cancels_behind)
    place.system.publisher(Source.tick(1e-4)).subscribe(asker)
    asker.drive()
    assert asker.faults == []
    assert asker.elements == sorted(set(asker.elements))
