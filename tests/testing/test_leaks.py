# mypy: disable-error-code="var-annotated"
"""What is left behind is named; what is gone in time is not."""

import _thread
import os
import threading

import pytest

from actors_rs import ActorSystem, PooledActor, Sink, Source
from actors_rs.testing.leaks import Leaked, no_leaks


def test_a_system_that_was_left_leaves_nothing():
    with no_leaks() as leaks:
        with ActorSystem() as system:
            run = system.start(Source.range(0, 10).to(Sink.list()))
            leaks.expect_collected(run, *system.children())
            assert run.result(20) == list(range(10))
        del system, run


def test_a_thread_that_outlives_the_block_is_named():
    gate = threading.Event()
    thread = threading.Thread(target=gate.wait, name="left over")
    with pytest.raises(Leaked, match=r"after 0\.05 s: thread 'left over' is alive"):
        with no_leaks(0.05):
            thread.start()
    gate.set()
    thread.join()


def test_a_thread_that_ends_in_time_is_no_leak():
    gate = threading.Event()
    with no_leaks(20):
        threading.Thread(target=gate.wait, args=(0.05,)).start()


def test_a_thread_that_python_did_not_start_is_no_leak_when_it_says_something():
    named, gate = threading.Event(), threading.Event()

    def foreign():
        threading.current_thread()  # as a line of a log asks, which a __del__ may write
        named.set()
        gate.wait()

    with no_leaks(0.0):
        _thread.start_new_thread(foreign, ())
        assert named.wait(20)
    gate.set()


def test_an_actor_that_has_not_stopped_is_named():
    with ActorSystem() as system:
        with pytest.raises(Leaked, match=r"PooledActor \(.*\) has not stopped"):
            with no_leaks(0.05):
                system.spawn(PooledActor)


def test_a_descriptor_left_open_is_named():
    with pytest.raises(Leaked, match=r"file descriptor \d+ \(pipe:"):
        with no_leaks(0.05):
            ends = os.pipe()
    for end in ends:
        os.close(end)


def test_what_must_be_collectable_and_is_held_is_named_with_its_holder():
    class Held:
        pass

    holder = [Held()]
    with pytest.raises(Leaked, match=r"Held at 0x\w+ is referred to by list"):
        with no_leaks(0.05) as leaks:
            leaks.expect_collected(holder[0])


def test_a_block_that_raises_is_not_judged():
    gate = threading.Event()

    def fail():
        with no_leaks(0.05):
            threading.Thread(target=gate.wait).start()
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    gate.set()


def test_a_descriptor_whose_number_is_used_again_is_named(tmp_path):
    before = os.open(tmp_path / "before", os.O_CREAT | os.O_RDWR)
    watch = no_leaks(0.05)
    watch.__enter__()
    os.close(before)
    assert os.open(tmp_path / "left over", os.O_CREAT | os.O_RDWR) == before
    with pytest.raises(Leaked, match=rf"file descriptor {before} \(.*left over\) is open"):
        watch.__exit__(None, None, None)
    os.close(before)


def test_a_descriptor_whose_file_is_deleted_is_no_new_one(tmp_path):
    held = os.open(tmp_path / "held", os.O_CREAT | os.O_RDWR)
    with no_leaks(0.05):
        os.unlink(tmp_path / "held")
    os.close(held)
