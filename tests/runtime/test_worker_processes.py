# mypy: disable-error-code="arg-type, union-attr"
"""Worker processes end with their system, however that ends; and how values travel to them."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.runtime.processes.wire import SHARED, pack, receive, send, unpack
from tests.graph.helpers import SECONDS, alive, wait_until

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import os, signal, sys, time
from actors_rs import ActorSystem, Sink, Source

def busy(x):
    os.write(1, b"%d\\n" % os.getpid())  # one call: lines of two workers never mix
    time.sleep(3600 if {hangs} else 0)
    return x

system = ActorSystem(cancel_grace=0.2)
graph = Source.range(0, 4).map_processes(busy, 2, chunk=1).to(Sink.list())
{end}
"""
ENDS = {
    "its block ends": "with system: system.start(graph).result()",
    "its block is left by Ctrl-C": "with system: system.start(graph).result()",
    "the program ends and nobody has shut it down": "system.start(graph); sys.stdin.readline()",
    "the program is killed": "system.start(graph).result()",
}


@pytest.mark.parametrize("how", ENDS)
def test_no_worker_outlives_its_system_when(how):
    hangs = how != "its block ends"
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(hangs=hangs, end=ENDS[how])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
    )
    with program:
        pids = {int(program.stdout.readline()) for _ in range(2)}
        if "Ctrl-C" in how:
            program.send_signal(signal.SIGINT)
        elif "killed" in how:
            program.kill()
        elif "nobody" in how:
            program.stdin.close()
        wait_until(lambda: not any(alive(pid) for pid in pids))
        assert program.wait(SECONDS) is not None


def test_a_program_without_a_guard_around_its_main_part_starts_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from dataclasses import dataclass\n"
        "from actors_rs import Sink, Source\n"
        "print('once')\n"
        "@dataclass\n"
        "class Order:\n"
        "    price: int\n"
        "def doubled(order): return Order(2 * order.price)\n"
        "got = Source.of(Order(1), Order(2)).map_processes(doubled, 2).run(Sink.list())\n"
        "assert got == [Order(2), Order(4)], got\n"
    )
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert (done.stdout, done.stderr, done.returncode) == ("once\n", "", 0)


def test_a_forked_child_leaves_the_workers_to_its_parent():
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        graph = Source.range(0, 4).map_processes(lambda _: os.getpid(), 2, chunk=1).to(Sink.list())
        before = set(system.start(graph).result(SECONDS))
        child = os.fork()
        if not child:
            os._exit(0 if not system.processes.figures()["workers"] else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert set(system.start(graph).result(SECONDS)) <= before
        assert all(alive(pid) for pid in before)


def test_a_worker_ignores_ctrl_c_which_is_for_its_parent():
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        graph = Source.of(0).map_processes(lambda _: os.getpid(), 1).to(Sink.first())
        pid = system.start(graph).result(SECONDS)
        os.kill(pid, signal.SIGINT)
        assert system.start(graph).result(SECONDS) == pid


def travels(value):
    """``value`` sent through a socket that nobody reads meanwhile."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(5.0)
        send(ours, "head", pack(value), lambda writing: None)
        theirs.settimeout(5.0)
        head, segments = receive(theirs, lambda writing: None)
        assert head == "head"
        return unpack(segments)


@pytest.mark.parametrize(
    "value",
    [
        [1, "a"],
        b"x" * 100_000,
        [np.arange(20_000)],
        [],
        {"a": [np.zeros(9000), b"y" * 70_000]},
    ],
    ids=["small", "bytes", "array", "empty", "both"],
)
def test_a_small_value_travels_through_the_socket(value):
    assert repr(travels(value)) == repr(value)


@pytest.mark.parametrize("size", [SHARED, 64 << 20])
def test_a_large_buffer_does_not_go_through_the_socket_which_would_not_hold_it(size):
    blob = os.urandom(1 << 20) * (size >> 20)
    array = np.frombuffer(blob, dtype="u1").copy()
    name, back, again = travels(("name", blob, array))
    assert (name, back) == ("name", blob)
    assert np.array_equal(again, array)


def test_a_large_buffer_is_packed_without_a_copy():
    blob, array = b"x" * (2 << 20), np.zeros(300_000)
    packed = pack([("a", blob), array])
    assert any(part is blob for part in packed.stream)
    assert np.shares_memory(np.frombuffer(packed.buffers[0]), array)


def test_memory_that_was_shared_goes_with_the_last_view_of_it():
    def shared():
        return sum("actors-rs" in line for line in open("/proc/self/maps"))

    before = shared()
    got = travels(np.zeros(1_000_000))
    assert shared() == before + 1
    del got
    assert shared() == before


def test_a_worker_that_cannot_start_fails_the_stage_and_says_so(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        run = system.start(Source.of(1).map_processes(str, 1).to(Sink.list()))
        with pytest.raises(Exception, match="no worker process could be started"):
            run.result(SECONDS)


def test_an_idle_system_has_no_worker():
    with ActorSystem() as system:
        assert system.processes.figures()["workers"] == 0
