# mypy: disable-error-code="arg-type, call-overload, union-attr, var-annotated"
"""What becomes of rows that sinks hold when their section fails, and of files that they wrote."""

import json
import sqlite3
from contextlib import closing

import pytest

from actors_rs import Flow, Sink, Source
from actors_rs.errors import GraphError, StageError
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.testing.world import World


def test_a_sink_that_replaces_its_file_is_refused_wherever_it_lies_in_a_section(tmp_path):
    jsonl = Sink.jsonl(tmp_path / "out.jsonl").named("mine")
    nested = Sink.fan(Sink.count(), Sink.fan(Sink.count(), Sink.fan(jsonl)))
    for sink in (jsonl, Sink.fan(jsonl, Sink.count()), nested):
        body = Flow[int]().map(str).also_to(sink)
        for section in (body, body.map(str), body.also_to(Sink.count()), body.map(str).fuse()):
            with pytest.raises(GraphError, match=r"restart: expected sinks .*got 'mine' \(made at"):
                section.restart()


def rows_of(path):
    with closing(sqlite3.connect(path)) as database:
        return [row for (row,) in database.execute("SELECT n FROM t ORDER BY n")]


@pytest.mark.parametrize("nested", [False, True])
def test_what_sinks_of_a_fan_held_when_their_section_failed_is_dead_letters(tmp_path, nested):
    path = tmp_path / "out.db"
    setup = "CREATE TABLE IF NOT EXISTS t (n INTEGER)"
    sqlite = Sink.sqlite(path, "INSERT INTO t VALUES (?)", batch=100, setup=setup)
    sink = Sink.fan(sqlite, Sink.count())
    body = Flow[int]().also_to(Sink.fan(sink) if nested else sink).map(failing_once(5))
    source = Source.range(0, 10).map(lambda x: (x,))
    with World() as world:
        run = world.start(source.via(body.restart(Backoff(0.1))).to(Sink.list()))
        run.result()
        letters = [one.what for one in world.system.dead_letters.recent()]
    lost = {one[0] for one in letters if isinstance(one, tuple)}
    assert lost | set(rows_of(path)) == set(range(10))
    assert lost - {5}


def failing_once(x):
    failed = []

    def f(row):
        if row == (x,) and not failed:
            failed.append(x)
            raise ValueError(x)
        return row

    return f


def test_an_element_that_a_sink_of_a_fan_cannot_take_is_a_dead_letter_of_its_section(tmp_path):
    path = tmp_path / "out.db"
    sqlite = Sink.sqlite(
        path, "INSERT INTO t VALUES (?)", batch=1, setup="CREATE TABLE IF NOT EXISTS t (n INTEGER)"
    )
    body = Flow().also_to(Sink.fan(Sink.count(), sqlite)).map(str)
    rows = [(0,), (1,), {"no": "row"}, (3,), (4,)]
    with World() as world:
        run = world.start(
            Source.from_iterable(rows).via(body.restart(Backoff(0.1))).to(Sink.list())
        )
        run.wait()
        letters = [one.what for one in world.system.dead_letters.recent()]
    missing = {0, 1, 3, 4} - set(rows_of(path))
    assert {"no": "row"} in letters
    assert missing == {one[0] for one in letters if isinstance(one, tuple)}


def test_a_section_whose_inner_streams_write_files_replaces_none_that_it_has_written(tmp_path):
    def kept(x):
        return Source.of(x).also_to(Sink.jsonl(tmp_path / f"{x[0] % 2}.jsonl"))

    body = Flow().flat_map(kept).map(failing_once(0)).restart(Backoff(0.1))
    source = Source.range(0, 4).throttle(1, 10.0).map(lambda x: (x,))
    with World() as world:
        run = world.start(source.via(body).to(Sink.ignore()))
        run.result()
        told = [repr(one.error) for one in world.system.dead_letters.recent()]
    assert len([one for one in told if "this run has written it already" in one]) >= 2
    assert json.loads((tmp_path / "0.jsonl").read_text()) == [0]


def test_a_section_with_a_source_of_its_own_writes_its_files_anew(tmp_path):
    path = tmp_path / "x.jsonl"

    def kept(x):
        return Source.of(x).also_to(Sink.jsonl(path))

    section = Source.of((1,)).flat_map(kept).map(failing_once(1)).restart(Backoff(0.1))
    with World() as world:
        assert world.start(section.to(Sink.list())).result() == [(1,)]
    assert json.loads(path.read_text()) == [1]


def test_a_key_of_group_by_that_comes_back_does_not_replace_its_own_file(tmp_path):
    def kept(group):
        return group.also_to(Sink.jsonl(tmp_path / f"{group.key}.jsonl"))

    source = Source.tick(10.0).take(2).group_by(lambda _: "a", 4, idle_timeout=1.0).flat_map(kept)
    with World() as world:
        run = world.start(source.to(Sink.ignore()))
        with pytest.raises(StageError, match="where a key of group_by"):
            run.result()
    assert len((tmp_path / "a.jsonl").read_text().splitlines()) == 1
