"""One ``Sink.parquet`` at a time writes to a directory, whichever process it is in."""

import os
import signal
from pathlib import Path

import pytest

from actors_rs import ActorSystem, Graph, Sink, Source
from actors_rs.delivery import acknowledged
from actors_rs.errors import StageError
from actors_rs.stages.sinks.files.directory_hold import LOCK, DirectoryHold
from tests.graph.helpers import SECONDS, run, wait_until
from tests.stages.processes import started

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402 - behind the check that it is there

HELD = (
    "expected a directory that no other sink is writing to, but (stage 'parquet(-2)?' of|another)"
)


@pytest.fixture
def system():
    with ActorSystem() as system:
        yield system


def left_in(folder):
    return sorted(path.name for path in folder.iterdir())


def rows(n=3):
    return Source.range(0, n).map(lambda n: {"n": n})


def writing(system, folder, existing):
    """A run that has taken the directory, and does not end."""
    begun = system.start(Source.never().to(Sink.parquet(folder, existing=existing)))
    wait_until((folder / LOCK).exists)
    return begun


@pytest.mark.parametrize("existing", ["append", "refuse"])
@pytest.mark.parametrize("link", [False, True])
def test_the_second_of_two_is_refused_and_told_who_is_first(system, tmp_path, existing, link):
    folder = tmp_path / "rows"
    first = writing(system, folder, existing)
    other = folder
    if link:
        other = tmp_path / "link"
        other.symlink_to(folder)
    with pytest.raises(StageError, match=rf"could not write {other}: {HELD} this process is: wait"):
        run(rows().to(Sink.parquet(other, existing=existing).on_failure("resume")))
    first.cancel()
    with pytest.raises(Exception, match="cancelled"):
        first.result(SECONDS)
    assert left_in(folder) == []
    assert run(rows().to(Sink.parquet(other, existing=existing))).rows == 3
    assert left_in(folder) == ["part-00000.parquet"]


@pytest.mark.parametrize("fanned", [False, True])
def test_two_sinks_of_one_graph_are_refused(tmp_path, fanned):
    sinks = [Sink.parquet(tmp_path, rows_per_file=10) for _ in range(2)]
    a, b = rows(200).broadcast(2)
    graph = rows(200).to(Sink.fan(*sinks)) if fanned else Graph(a.to(sinks[0]), b.to(sinks[1]))
    with pytest.raises(StageError, match=HELD):
        run(graph)
    assert left_in(tmp_path) == []


def test_units_hold_the_directory_as_well(system, tmp_path):
    first = writing(system, tmp_path, "append")
    units = acknowledged(rows(), lambda element, outcomes: None).to(Sink.parquet(tmp_path))
    with pytest.raises(StageError, match=HELD):
        system.start(units).result(SECONDS)
    first.cancel()
    with pytest.raises(Exception, match="cancelled"):
        first.result(SECONDS)
    assert system.start(units).result(SECONDS).rows == 3
    assert LOCK not in left_in(tmp_path)


@pytest.mark.parametrize("carried", [False, True])
def test_files_that_came_meanwhile_are_refused_before_the_first_gets_its_name(
    system, tmp_path, carried
):
    def elements():
        yield {"n": 0}
        parquet.write_table(pa.table({"n": [7]}), tmp_path / "part-00000.parquet")
        yield {"n": 1}

    source = Source.from_iterable(elements)
    if carried:
        source = acknowledged(source, lambda element, outcomes: None).map(lambda one: one)
        parts = source.filter(lambda row: row["n"] == 1).to(
            Sink.parquet(tmp_path, existing="refuse")
        )
    else:
        parts = source.to(Sink.parquet(tmp_path, existing="refuse"))
    with pytest.raises(StageError, match=r"expected no part files there .*found part-00000"):
        system.start(parts).result(SECONDS)
    assert left_in(tmp_path) == ["part-00000.parquet"]


HOLDER = """
    import os, signal, sys, time
    from actors_rs import Sink, Source

    if len(sys.argv) > 2:  # a child that lives on holds nothing
        from pathlib import Path
        from actors_rs.stages.sinks.files.directory_hold import DirectoryHold
        hold = DirectoryHold(Path(sys.argv[1]))
        hold.take("stage 'parquet'")
        if os.fork() == 0:
            print("held", flush=True)  # so what happens at a fork has happened
            os.close(1)
            sys.stdin.read()
            os._exit(0)
        sys.stdin.read()

    def rows():
        yield {"n": 1}
        print("held", flush=True)
        sys.stdin.read()

    print(Source.from_iterable(rows).run(Sink.parquet(sys.argv[1], existing="refuse")).rows)
"""


def holder(folder, *more):
    return started(HOLDER, str(folder), *more, says="held")


def test_of_two_processes_the_second_is_refused_and_the_first_goes_on(tmp_path):
    with holder(tmp_path) as process:
        with pytest.raises(StageError, match=f"{HELD} process {process.pid} is"):
            run(rows().to(Sink.parquet(tmp_path)))
        assert process.communicate("")[0] == "1\n"
    assert left_in(tmp_path) == ["part-00000.parquet"]
    assert parquet.read_table(tmp_path).to_pylist() == [{"n": 1}]


@pytest.mark.parametrize("more", [(), ("fork",)], ids=["alone", "with a child that lives on"])
def test_where_the_holder_was_killed_the_next_one_goes_on(tmp_path, more):
    with holder(tmp_path, *more) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert LOCK in left_in(tmp_path)
        assert run(rows().to(Sink.parquet(tmp_path, existing="refuse"))).rows == 3
    assert left_in(tmp_path) == ["part-00000.parquet"]


def test_a_hold_whose_file_was_removed_meanwhile_is_taken_anew(tmp_path, monkeypatch):
    (tmp_path / LOCK).touch()
    opened: list[object] = []
    open_ = Path.open

    def removed(self, *args, **options):
        file = open_(self, *args, **options)
        if not opened:
            self.unlink()
        opened.append(file)
        return file

    monkeypatch.setattr(Path, "open", removed)
    hold = DirectoryHold(tmp_path)
    hold.take("one")
    with pytest.raises(BlockingIOError, match="but one of this process is"):
        DirectoryHold(tmp_path).take("other")
    hold.release()
    assert left_in(tmp_path) == []
    assert len(opened) == 3


def test_without_locks_nobody_is_kept_out(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", refuse)
    assert run(rows().to(Sink.parquet(tmp_path))).rows == 3
    assert left_in(tmp_path) == ["part-00000.parquet"]
