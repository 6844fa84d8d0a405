# mypy: disable-error-code="assignment, var-annotated, attr-defined, operator, no-untyped-def"
"""Sinks that write units as a whole: what belongs to a unit, and what is no element's fault."""

import resource
from contextlib import contextmanager, nullcontext

import pytest

from actors_rs import ActorSystem, Sink, Source, merge
from actors_rs.delivery import Disposition, acknowledged
from actors_rs.delivery.ack import Unit
from actors_rs.delivery.carrying.fan import CarryingFan
from actors_rs.delivery.carrying.parquet import UnitParquet
from actors_rs.errors import LedgerError, StreamError, WriteError
from actors_rs.stages.failure import OnFailure
from actors_rs.stages.sinks.fan import Part
from actors_rs.stages.sinks.files.writing import PendingFile
from actors_rs.testing.leaks import no_leaks
from tests.graph.helpers import SECONDS
from tests.stages.harness import FreeBudget, Upstream

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@contextmanager
def full_disk():
    """No file of this process can grow."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class Context:
    """All that a unit sink asks of its surroundings here."""

    name = "parquet"

    def __init__(self):
        self.errors = []

    def post(self, action):
        pass

    def committing(self):
        return nullcontext()

    def failed(self, error, position=None, **_):
        self.errors.append(error)
        return error

    def passed_over(self, element, *_):
        raise AssertionError(f"{element!r} was passed over")


class Entry:
    """A line of a ledger that is nowhere."""

    run_key = "this run"
    path = "nowhere"

    def __init__(self):
        self.outputs = []
        self.schemas = {}

    def schema_of(self, sink, schema=None):
        return self.schemas.get(sink) if schema is None else self.schemas.setdefault(sink, schema)

    def delivered(self, output):
        self.outputs.append(output)


@pytest.fixture
def directory(tmp_path):
    return tmp_path / "rows"


@pytest.fixture
def sink(directory):
    sink = UnitParquet(directory, None)
    sink.context = Context()
    sink.start()
    return sink


@pytest.fixture
def system():
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        yield system


def rows(*numbers):
    return pa.record_batch({"n": list(numbers)})


def written(directory):
    return [n for file in sorted(directory.glob("*.parquet")) for n in pq.read_table(file)["n"]]


def test_what_comes_late_of_an_attempt_that_was_given_up_does_not_touch_the_next_ones_file(
    sink, directory
):
    outcomes = []
    first, second = (Unit(0, outcomes.append, Entry()) for _ in range(2))  # type: ignore[arg-type]
    late = [first.track(rows(1, 2)), first.track(rows(3))]
    first.abandon()
    again = [second.track(rows(1, 2)), second.track(rows(3))]
    second.seal()
    sink.consume(iter([*late, *again]))  # they lay before a slow sink together
    sink.settle_ready()
    assert [n.as_py() for n in written(directory)] == [1, 2, 3]
    assert outcomes == [{Disposition.DELIVERED: 2}]
    sink.stop(None)
    names = {file.name for file in directory.iterdir()}
    assert names == {".actors_rs_run", "part-00000.parquet"}


@pytest.mark.parametrize("put_together", [False, True])
def test_units_that_are_whole_when_the_stream_fails_behind_them_are_committed(
    sink, directory, put_together
):
    if put_together:
        sink.stop(None)
        sink = CarryingFan([Part("parquet", "", lambda: UnitParquet(directory, None), None)])
        sink.context = Context()
    sink.inlet.connect(Upstream())
    sink.start()
    outcomes = []
    one, two = (Unit(key, outcomes.append) for key in range(2))
    frame = [one.track(rows(1)), one.track(rows(2)), two.track(rows(3))]
    one.seal()
    sink.inlet.push(frame)
    sink.inlet.complete(ValueError("a broken line in the second"))
    sink.advance(FreeBudget())
    assert sink.finished
    assert [n.as_py() for n in written(directory)] == [1, 2]
    assert outcomes == [{Disposition.DELIVERED: 2}]


def test_a_directory_of_another_run_fails_a_sink_that_passes_elements_over(sink, directory):
    (directory / "part-00007.parquet").touch()
    sink.on_failure = OnFailure("resume")
    outcomes = []
    unit = Unit(0, outcomes.append, Entry())  # type: ignore[arg-type]
    element = unit.track(rows(1))
    unit.seal()
    with pytest.raises(LedgerError, match="already holds the output") as refused:
        sink.consume(iter([element]))
    assert not sink.survives(refused.value, element, 0)
    assert sink.context.errors == [refused.value]
    assert outcomes == []


def test_units_that_are_in_no_ledger_replace_nothing(system, directory):
    for first in (1, 10):  # the second run goes on, as one over a queue does
        done = {}
        two = [acknowledged(Source.of(n, n + 1), done.__setitem__) for n in (first, first + 2)]
        graph = merge(*two).map(rows).to(Sink.parquet(directory))
        system.start(graph).result(SECONDS)
        assert len(done) == 4
    assert sorted(n.as_py() for n in written(directory)) == [1, 2, 3, 4, 10, 11, 12, 13]


def test_a_second_source_with_a_ledger_does_not_replace_the_firsts_partitions(sink, directory):
    for run_key in ("this run", "another run"):
        entry = Entry()
        entry.run_key = run_key
        unit = Unit(0, lambda outcomes: None, entry)  # type: ignore[arg-type]
        element = unit.track(rows(1))
        unit.seal()
        if run_key == "another run":
            with pytest.raises(LedgerError, match="already holds the output of another run"):
                sink.consume(iter([element]))
        else:
            sink.consume(iter([element]))
            sink.settle_ready()
    assert [n.as_py() for n in written(directory)] == [1]


@pytest.mark.parametrize("first", [None, "this run"])
def test_units_of_a_ledger_and_of_none_do_not_share_a_directory(sink, directory, first):
    for run_key in (first, None if first else "this run"):
        entry = Entry() if run_key else None
        unit = Unit(0, lambda outcomes: None, entry)  # type: ignore[arg-type]
        element = unit.track(rows(1))
        unit.seal()
        if run_key == first:
            sink.consume(iter([element]))  # it is under way still when the other one comes
        else:
            with pytest.raises(
                LedgerError, match="expected sources that all have one ledger, or none"
            ):
                sink.consume(iter([element]))
    sink.settle_ready()
    assert [n.as_py() for n in written(directory)] == [1]


def test_units_of_no_ledger_are_refused_where_a_run_with_one_goes_on_later(sink, directory):
    (directory / ".actors_rs_run").write_text("this run parquet")
    unit = Unit(0, lambda outcomes: None)
    element = unit.track(rows(1))
    with pytest.raises(LedgerError, match="expected sources that all have one ledger, or none"):
        sink.consume(iter([element]))


def test_a_row_that_does_not_fit_fails_its_unit_and_is_not_acknowledged(system, directory):
    done = {}
    numbers = acknowledged(Source.of(1, "two"), done.__setitem__).map(lambda n: {"n": n})
    sink = Sink.parquet(directory, schema=pa.schema({"n": pa.int64()}))
    with pytest.raises(StreamError, match="Could not convert 'two'"):
        system.start(numbers.to(sink)).result(SECONDS)
    assert "two" not in done
    assert [n.as_py() for n in written(directory)] in ([], [1])


def test_a_directory_is_taken_on_a_file_system_without_links_too(sink, directory, monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    unit = Unit(0, lambda outcomes: None, Entry())  # type: ignore[arg-type]
    element = unit.track(rows(1))
    unit.seal()
    sink.consume(iter([element]))
    sink.settle_ready()
    sink.stop(None)
    found = {file.name for file in directory.iterdir()}
    assert found == {".actors_rs_run", "part-00000.parquet"}
    assert (directory / ".actors_rs_run").read_text() == "this run parquet"


def test_the_part_of_a_unit_replaces_no_directory(sink, directory):
    entry = Entry()
    for key in (1, 0):  # with the first one the schema is known
        unit = Unit(key, lambda outcomes: None, entry)  # type: ignore[arg-type]
        element = unit.track(rows(1))
        unit.seal()
        sink.consume(iter([element]))
        sink.settle_ready()
        if key:
            (directory / "part-00000.parquet").mkdir()
    assert sink.inlet.cancelled
    (error,) = sink.context.errors
    assert isinstance(error, WriteError)
    assert "part-00000.parquet: expected a file or nothing there, found a directory" in str(error)


@pytest.fixture(params=[OSError(28, "No space left on device"), SystemExit()], ids=["disk", "exit"])
def refused(request, monkeypatch):
    """Why no file gets its name, as the sink says it."""

    def refuse(pending, *_):
        raise request.param

    monkeypatch.setattr(PendingFile, "publish", refuse)
    return WriteError if isinstance(request.param, Exception) else SystemExit


@pytest.mark.parametrize("entry", [None, Entry()], ids=["loose", "ledger"])
def test_of_a_unit_that_cannot_be_committed_no_file_and_no_descriptor_stays(
    sink, directory, refused, entry
):
    unit = Unit(0, lambda outcomes: None, entry)
    element = unit.track(rows(1))
    unit.seal()
    with no_leaks():
        sink.consume(iter([element]))
        with pytest.raises(refused):
            sink.settle_ready()
    assert list(directory.glob(".part*")) == []
    assert sink.settled


def test_why_a_unit_cannot_be_committed_is_said_though_it_cannot_be_discarded_either(
    sink, refused, monkeypatch
):
    discarded = []

    def broken(held):
        discarded.append(held)
        raise ValueError("no")

    monkeypatch.setattr(sink, "discard", broken)
    unit = Unit(0, lambda outcomes: None)
    element = unit.track(rows(1))
    unit.seal()
    sink.consume(iter([element]))
    with pytest.raises(refused):
        sink.settle_ready()
    (held,) = discarded
    held.stop(None)


@pytest.mark.parametrize("policy", ["resume", "restart"])
def test_a_full_disk_fails_a_sink_that_passes_elements_over(system, directory, policy):
    done = {}
    numbers = acknowledged(Source.of(1, 2, 3), done.__setitem__)
    sink = Sink.parquet(directory).on_failure(policy)
    with full_disk(), pytest.raises(StreamError, match="File too large"):
        system.start(numbers.map(rows).to(sink)).result(SECONDS)
    assert done == {}


@pytest.mark.parametrize("policy", ["resume", "restart"])
def test_an_element_that_is_passed_over_takes_none_before_it_along(system, directory, policy):
    done = {}
    elements = acknowledged(Source.of(1, "two", 3), done.__setitem__)
    sink = Sink.parquet(directory).on_failure(policy)
    system.start(elements.map(lambda n: rows(n) if n != "two" else n).to(sink)).result(SECONDS)
    assert sorted(n.as_py() for n in written(directory)) == [1, 3]
    assert done["two"] == {Disposition.DEAD_LETTERED: 1}
    assert [done[n] for n in (1, 3)] == [{Disposition.DELIVERED: 1}] * 2


@pytest.mark.parametrize("bad", ["ab", 7, None])
def test_what_is_no_row_for_sqlite_is_refused_and_passed_over_alone(system, tmp_path, bad):
    done = {}
    path = tmp_path / "rows.db"
    setup = "CREATE TABLE IF NOT EXISTS t (a, b)"
    sink = Sink.sqlite(path, "INSERT INTO t VALUES (?, ?)", setup=setup)
    elements = acknowledged(Source.of((1, 2), bad, (3, 4)), done.__setitem__)
    with pytest.raises(StreamError, match="expected a tuple or a dict of parameters, got"):
        system.start(elements.to(sink)).result(SECONDS)
    assert bad not in done
    assert system.start(elements.to(sink.on_failure("resume"))).result(SECONDS) == 2
    assert done[bad] == {Disposition.DEAD_LETTERED: 1}
    assert done[3, 4] == {Disposition.DELIVERED: 1}
