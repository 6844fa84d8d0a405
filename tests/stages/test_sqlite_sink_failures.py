"""Which element a ``Sink.sqlite`` fails for, and what is no element's fault."""

import sqlite3

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS

TABLE = "CREATE TABLE t (n INTEGER PRIMARY KEY)"
NO_WRITING = f"{TABLE}; PRAGMA query_only = 1"
INSERT = "INSERT INTO t VALUES (?)"
THREE = [(0,), (1,), (2,)]


def written(path):
    with sqlite3.connect(path) as database:
        return database.execute("SELECT count(*) FROM t").fetchone()[0]


@pytest.mark.parametrize("fanned", [False, True])
@pytest.mark.parametrize(("batch", "stays"), [(1, 70), (20, 60), (1000, 0)])
@pytest.mark.parametrize("wrong", [(7,), (7, 7), 7])
def test_the_element_that_is_refused_is_named_whatever_the_batch(
    tmp_path, batch, stays, wrong, fanned
):
    path = tmp_path / "out.db"
    rows = [wrong if n == 70 else (n,) for n in range(100)]
    sink = Sink.sqlite(path, INSERT, batch=batch, setup=TABLE)
    with pytest.raises(
        StageError, match=rf"'sqlite' failed at element 70: .*{path.name}"
    ) as caught:
        Source.from_iterable(rows).run(Sink.fan(sink, Sink.count()) if fanned else sink)
    assert caught.value.position == 70
    assert __file__ in caught.value.site
    assert written(path) == stays


@pytest.mark.parametrize("batch", [1, 2, 1000])
@pytest.mark.parametrize("policy", ["stop", "resume", "restart"])
def test_what_is_wrong_with_the_database_is_no_elements_fault(tmp_path, policy, batch):
    path = tmp_path / "out.db"
    sink = Sink.sqlite(path, INSERT, batch=batch, setup=NO_WRITING).on_failure(policy)
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        with pytest.raises(StageError, match=r"'sqlite' failed: WriteError: .*readonly"):
            system.start(Source.from_iterable(THREE).to(sink)).result(SECONDS)
        assert not system.dead_letters.recent()


def test_a_statement_that_is_no_elements_fault_fails_by_the_name_of_the_file(tmp_path):
    sink = Sink.sqlite(tmp_path / "out.db", "SELECT ?", setup=TABLE)
    with pytest.raises(StageError, match=r"'sqlite' failed: WriteError: .*out\.db: executemany"):
        Source.from_iterable(THREE).run(sink)
