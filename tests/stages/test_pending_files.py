"""What sinks find where they are to write, and what they leave there."""

import os
import stat
import sys
from functools import partial
from pathlib import Path

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import StageError, WriteError
from actors_rs.stages.sinks.files.writing import PendingFile, remove_abandoned_parts
from tests.graph.helpers import run
from tests.stages.processes import started

MAKERS = {
    "a file": lambda path: path.write_text("in the way"),
    "a directory": lambda path: path.mkdir(),
    "a named pipe": os.mkfifo,
}


def left_in(folder):
    return sorted(path.name for path in folder.iterdir())


def permissions(path):
    return stat.S_IMODE(path.stat().st_mode)


def refused(source, sink):
    with pytest.raises(StageError) as caught:
        run(source.to(sink))
    assert isinstance(caught.value.__cause__, WriteError)
    return str(caught.value)


@pytest.mark.parametrize("kind", ["a directory", "a named pipe"])
@pytest.mark.parametrize("link", [False, True])
def test_jsonl_refuses_what_is_no_file_before_it_takes_an_element(tmp_path, kind, link):
    path = target = tmp_path / "out.jsonl"
    MAKERS[kind](target)
    if link:
        path = tmp_path / "link.jsonl"
        path.symlink_to(target)
    mode, before = target.stat().st_mode, left_in(tmp_path)
    told = refused(Source.never(), Sink.jsonl(path))
    assert f"could not write {path}: expected a file or nothing there, found {kind}" in told
    assert target.stat().st_mode == mode
    assert left_in(tmp_path) == before


@pytest.mark.parametrize("kind", ["a file", "a named pipe"])
def test_parquet_refuses_what_is_no_directory_and_says_what_it_is(tmp_path, kind):
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows"
    MAKERS[kind](path)
    told = refused(Source.never(), Sink.parquet(path))
    assert f"could not write {path}: expected a directory or nothing there, found {kind}" in told


@pytest.mark.parametrize("mode", [0o600, 0o444, 0o664])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path, mode):
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    path.chmod(mode)
    run(Source.of(1).to(Sink.jsonl(path)))
    assert path.read_text() == "1\n"
    assert permissions(path) == mode


def test_nobody_else_can_read_the_new_file_of_a_private_one_while_it_is_written(tmp_path):
    path = tmp_path / "out.jsonl"
    path.touch()
    path.chmod(0o400)
    pending = PendingFile(path)
    pending.claim()
    assert permissions(pending.temporary) == 0o600
    pending.discard()


BEGUN = """
    import os, signal, sys
    from pathlib import Path
    from actors_rs.stages.sinks.files.writing import PendingFile, remove_abandoned_parts
    folder, end = Path(sys.argv[1]), sys.argv[2]
    one = PendingFile(folder / "out.jsonl")
    one.claim()
    remove_abandoned_parts(folder)
    other = PendingFile.part(folder, 7, ".parquet")
    print("begun", flush=True)
    if end == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.read()
    one.publish()
    other.publish()
"""


def begun(folder, end):
    return started(BEGUN, str(folder), end, says="begun")


def test_what_a_killed_process_left_is_removed_and_its_number_is_free_again(tmp_path):
    with begun(tmp_path, "killed") as process:
        process.wait()
    assert len(left_in(tmp_path)) == 3
    ours = next(name for name in left_in(tmp_path) if name.startswith(".out"))
    kept = [
        ".out.jsonl.tmp",
        ".out.jsonl.00000000" + ours[len(".out.jsonl.00000000") :],
        ours.replace(".jsonl", ".jsonl.more"),
        ours.replace(".jsonl", ""),
    ]
    for name in kept:  # another one's, another machine's, other files'
        (tmp_path / name).touch()
    run(Source.of(1).to(Sink.jsonl(tmp_path / "out.jsonl")))
    remove_abandoned_parts(tmp_path)
    assert left_in(tmp_path) == sorted([*kept, "out.jsonl"])
    part = PendingFile.part(tmp_path, 7, ".parquet")
    part.publish()
    assert left_in(tmp_path) == sorted([*kept, "out.jsonl", "part-00007.parquet"])


def test_what_a_living_process_writes_is_left_alone(tmp_path):
    with begun(tmp_path, "lives") as process:
        before = left_in(tmp_path)
        pending = PendingFile(tmp_path / "out.jsonl")
        pending.claim()
        pending.discard()
        remove_abandoned_parts(tmp_path)
        assert PendingFile.part(tmp_path, 7, ".parquet").path.name == "part-00008.parquet"
        assert set(before) < set(left_in(tmp_path))
        process.communicate("go on")
        assert process.returncode == 0
    assert {"out.jsonl", "part-00007.parquet"} < set(left_in(tmp_path))


def test_a_file_has_its_name_when_it_is_held_so_that_nobody_takes_it_for_abandoned(
    tmp_path, monkeypatch
):
    seen = []

    def look(*_):
        seen.append(left_in(tmp_path))

    with monkeypatch.context() as patch:
        patch.setattr("fcntl.flock", look)
        part = PendingFile.part(tmp_path, 7, ".parquet")
    assert seen == [sorted([".part-00007.parquet.tmp", f"{part.temporary.stem}.new"])]


def test_a_part_that_cannot_be_begun_leaves_nothing(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("pathlib.Path.rename", refuse)
    with pytest.raises(PermissionError):
        PendingFile.part(tmp_path, 0, ".parquet")
    assert left_in(tmp_path) == []


def test_a_number_is_held_as_long_as_the_temporary_file_could_not_be_removed(tmp_path, monkeypatch):
    unlink = Path.unlink

    def refuse(self, missing_ok=False):
        if self == part.temporary:
            raise PermissionError(1, "Operation not permitted")
        unlink(self, missing_ok)

    part = PendingFile.part(tmp_path, 7, ".parquet")
    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.unlink", refuse)
        part.discard()
    assert PendingFile.part(tmp_path, 7, ".parquet").path.name == "part-00008.parquet"


def test_without_locks_nothing_is_removed_and_files_are_written(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(95, "Operation not supported")

    with begun(tmp_path, "killed") as process:
        process.wait()
    before = left_in(tmp_path)
    monkeypatch.setattr("fcntl.flock", refuse)
    run(Source.of(1).to(Sink.jsonl(tmp_path / "out.jsonl")))
    remove_abandoned_parts(tmp_path)
    assert left_in(tmp_path) == sorted([*before, "out.jsonl"])


def meet(first, second, step):
    """Let ``second`` run between two lines of ``first``; whether that has so many."""
    left = step

    def trace(frame, event, arg):
        nonlocal left
        left -= 1
        if left == 0:
            sys.settrace(None)
            second()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        first()
    finally:
        sys.settrace(before)
    return left <= 0


def test_of_two_that_claim_a_path_one_gets_it_wherever_they_meet(tmp_path):
    step, more = 0, True
    while more:
        step += 1
        won: list[PendingFile] = []

        def claim(pending, won=won):
            try:
                pending.claim()
            except FileExistsError:
                pending.discard()
            else:
                won.append(pending)

        one, other = PendingFile(tmp_path / "out"), PendingFile(tmp_path / "out")
        more = meet(partial(claim, one), partial(claim, other), step)
        if not more:
            claim(other)
        assert len(won) == 1, f"at step {step}"
        won[0].discard()
    assert step > 20
    assert left_in(tmp_path) == []
