# mypy: disable-error-code="arg-type, var-annotated"
"""What a sink of units refuses, it refuses as the same sink does without units."""

import sqlite3

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.delivery import Disposition, acknowledged
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS

DELIVERED = {Disposition.DELIVERED: 1}


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


@pytest.fixture
def done():
    return {}


def row(n):
    return {"n": n}


@pytest.mark.parametrize("policy", ["stop", "resume"])
def test_a_data_set_that_is_there_is_refused_if_that_is_asked_for(system, tmp_path, done, policy):
    pytest.importorskip("pyarrow")
    sink = Sink.parquet(tmp_path, existing="refuse").on_failure(policy)
    rows = acknowledged(Source.of(1, 2, 3), done.__setitem__).map(row)
    assert system.start(rows.to(sink)).result(SECONDS).rows == 3
    done.clear()
    with pytest.raises(StageError, match="expected no part files there"):
        system.start(rows.to(sink)).result(SECONDS)
    assert done == {}
    assert len(list(tmp_path.glob("part-*"))) == 3


def test_a_given_schema_has_to_be_that_of_the_files_that_are_there(system, tmp_path, done):
    pa = pytest.importorskip("pyarrow")
    rows = acknowledged(Source.of(1), done.__setitem__).map(row)
    assert system.start(rows.to(Sink.parquet(tmp_path))).result(SECONDS).rows == 1
    sink = Sink.parquet(tmp_path, pa.schema({"n": pa.string()})).on_failure("resume")
    with pytest.raises(StageError, match="got string in column 'n', which is int64 there"):
        system.start(rows.to(sink)).result(SECONDS)


def test_a_given_schema_that_fits_the_files_that_are_there_is_written_as_theirs(
    system, tmp_path, done
):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = acknowledged(Source.of(1), done.__setitem__).map(row)
    for kind in (pa.int64(), pa.int8()):
        sink = Sink.parquet(tmp_path, pa.schema({"n": kind}))
        assert system.start(rows.to(sink)).result(SECONDS).rows == 1
    schemas = {str(parquet.read_schema(path).types) for path in tmp_path.glob("part-*")}
    assert schemas == {str([pa.int64()])}


@pytest.mark.parametrize("policy", ["stop", "resume"])
@pytest.mark.parametrize("wrong", ["text", "scalar"])
def test_what_is_no_row_of_parameters_is_not_written(system, tmp_path, done, wrong, policy):
    path, given = tmp_path / "out.db", {1: (1,), 2: "x", 3: (3,)}
    if wrong == "scalar":
        given[2] = (pytest.importorskip("numpy").int64(2),)
    sink = Sink.sqlite(path, "INSERT INTO t VALUES (?)", setup="CREATE TABLE t (n)")
    rows = acknowledged(Source.of(1, 2, 3), done.__setitem__).map(given.__getitem__)
    run = system.start(rows.to(sink.on_failure(policy)))
    if policy == "stop":
        with pytest.raises(StageError, match=r"at element 1: TypeError: Sink.sqlite: "):
            run.result(SECONDS)
    else:
        assert run.result(SECONDS) == 2
        assert done == {1: DELIVERED, 2: {Disposition.DEAD_LETTERED: 1}, 3: DELIVERED}
    with sqlite3.connect(path) as database:
        assert (2,) not in database.execute("SELECT n FROM t").fetchall()
        assert not database.execute("SELECT n FROM t WHERE typeof(n) != 'integer'").fetchall()
