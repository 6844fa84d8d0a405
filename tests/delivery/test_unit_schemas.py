# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, arg-type"
# mypy: disable-error-code="method-assign, attr-defined, assignment"
"""Sink.parquet behind units: all that one run writes has one schema, also after a restart."""

from functools import partial

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.delivery import Disposition, acknowledged
from actors_rs.delivery.ack import Unit
from actors_rs.delivery.carrying.parquet import UnitParquet
from actors_rs.delivery.ledger import Ledger, Plan, commit_within
from actors_rs.errors import StageError, WriteError
from actors_rs.stages.failure import OnFailure
from tests.delivery.test_units import Context
from tests.graph.helpers import SECONDS

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

PLAN = Plan(schema="any", partitions=9, plan="rows")
DELIVERED, LETTERED = Disposition.DELIVERED, Disposition.DEAD_LETTERED


class Entry:
    """A partition's line in a ledger, as a source has it."""

    def __init__(self, run, partition):
        self.path, self.run_key = run.path, run.key
        self.schema_of, self.delivered = run.schema_of, run.delivered
        self.commit_within = partial(
            commit_within, run=run.run, partition=partition, rows=0, size=0
        )


class Ledgered:
    """One process's part of a run into a data set, which is told rows by the partition."""

    def __init__(self, folder, schema=None, policy="stop"):
        self.run = Ledger(folder / "l.db").open(PLAN)
        self.sink = UnitParquet(folder / "rows", schema)
        self.sink.context = Context()
        self.sink.context.passed_over = lambda element, *_: self.letters.append(element)
        self.sink.on_failure = OnFailure(policy)
        self.sink.start()
        self.letters, self.outcomes = [], {}

    def begin(self, partition, *elements):
        """Some of the elements; gives the unit, which is to be sealed."""
        unit = Unit(
            partition, partial(self.outcomes.__setitem__, partition), Entry(self.run, partition)
        )
        self.sink.consume(iter([unit.track(element) for element in elements]))
        return unit

    def deliver(self, partition, *elements):
        """All elements of a partition."""
        self.begin(partition, *elements).seal()
        self.sink.settle_ready()

    def end(self):
        self.sink.stop(None)
        self.run.finish("cancelled")

    @property
    def errors(self):
        return self.sink.context.errors


@pytest.fixture
def ledgered(tmp_path):
    opened = []

    def make(*arguments, **settings):
        for one in opened:
            one.end()
        opened.append(Ledgered(tmp_path, *arguments, **settings))
        return opened[-1]

    yield make
    opened[-1].end()


def read(folder):
    return pq.read_table(folder / "rows").to_pydict()


def test_a_partition_whose_rows_tell_another_schema_has_that_of_the_run(ledgered, tmp_path):
    out = ledgered()
    out.deliver(0, {"n": 1.5, "who": "a"})
    out.deliver(1, {"n": None, "who": None}, {"n": None, "who": "b"})
    out.deliver(2, {"n": 2, "who": "c"})
    assert not out.errors
    assert read(tmp_path) == {"n": [1.5, None, None, 2.0], "who": ["a", None, "b", "c"]}


@pytest.mark.parametrize("restarted", [False, True])
def test_a_row_that_does_not_fit_follows_the_policy_also_in_a_later_process(
    ledgered, tmp_path, restarted
):
    out = ledgered(policy="resume")
    out.deliver(0, {"n": 1})
    out = ledgered(policy="resume") if restarted else out
    bad = [{"n": "x"}, {"n": 2.5}, {"n": 3, "more": 1}, {}]
    out.deliver(1, {"n": 2}, *bad, {"n": 3})
    assert out.letters == bad
    assert out.outcomes[1] == {DELIVERED: 2, LETTERED: 4}
    assert read(tmp_path) == {"n": [1, 2, 3]}
    out = ledgered()
    out.deliver(2, {"n": "x"})
    (error,) = out.errors
    assert "column 'n'" in str(error)
    assert 2 not in out.outcomes


def test_partitions_that_are_begun_together_have_one_schema(ledgered, tmp_path):
    out = ledgered()
    one, two = out.begin(1, {"n": 1}), out.begin(0, {"n": 1.5})
    two.seal()
    out.sink.settle_ready()
    one.seal()
    out.sink.settle_ready()
    assert not out.errors
    assert read(tmp_path) == {"n": [1.5, 1.0]}


def test_record_batches_are_matched_with_the_schema_of_the_run(ledgered, tmp_path):
    out = ledgered(policy="resume")
    out.deliver(0, pa.record_batch({"n": pa.array([1], pa.int64()), "s": ["a"]}))
    out = ledgered(policy="resume")
    out.deliver(1, pa.table({"s": ["b"], "n": pa.array([2], pa.int8())}))
    text = pa.record_batch({"n": ["x"], "s": ["c"]})
    out.deliver(2, text, {"n": 3, "s": "d"})
    assert [one.to_pydict() for one in out.letters] == [text.to_pydict()]
    assert read(tmp_path) == {"n": [1, 2, 3], "s": ["a", "b", "d"]}


def test_a_schema_that_is_given_must_fit_that_of_the_run(ledgered, tmp_path):
    out = ledgered(pa.schema({"n": pa.int64()}))
    out.deliver(0, {"n": 1})
    out = ledgered(pa.schema({"n": pa.int32()}))
    out.deliver(1, {"n": 2})
    assert read(tmp_path) == {"n": [1, 2]}
    out = ledgered(pa.schema({"n": pa.string()}))
    with pytest.raises(WriteError, match="before, got string in column 'n', which is int64"):
        out.deliver(2, {"n": "3"})


def test_a_run_whose_ledger_has_no_schema_yet_is_held_to_the_files_it_has_written(
    ledgered, tmp_path
):
    out = ledgered()
    out.deliver(0, {"n": 1.5})
    with out.run._database as database:
        database.execute("DELETE FROM ledger_schemas")
    out = ledgered()
    out.deliver(1, {"n": 2})
    assert read(tmp_path) == {"n": [1.5, 2.0]}
    with out.run._database as database:
        database.execute("DELETE FROM ledger_schemas")
    out = ledgered()
    out.deliver(2, {"n": "x"})
    (error,) = out.errors
    assert "expected data that fits the files that are there" in str(error)


@pytest.mark.parametrize("policy", ["stop", "resume"])
def test_units_of_no_ledger_have_one_schema_too(tmp_path, policy):
    numbers = {0: {"n": 1.5}, 1: {"n": 2}, 2: {"n": "x"}, 3: {"n": 3}}
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        for _ in range(2):  # the second run finds the files of the first
            done = {}
            rows = acknowledged(Source.range(0, 4), done.__setitem__).map(numbers.__getitem__)
            run = system.start(rows.to(Sink.parquet(tmp_path / "rows").on_failure(policy)))
            if policy == "stop":
                with pytest.raises(StageError, match=r"at element 2: .*column 'n'"):
                    run.result(SECONDS)
            else:
                assert run.result(SECONDS).rows == 3
                assert done[2] == {LETTERED: 1}
    if policy == "resume":
        assert read(tmp_path) == {"n": [1.5, 2.0, 3.0] * 2}
