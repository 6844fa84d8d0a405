"""Looking at the end of a thread, from any number of threads."""

import threading

import pytest

from actors_rs.runtime._primitives import Thread


@pytest.mark.usefixtures("switching_often")
def test_threads_look_at_the_end_of_a_thread_one_after_another(monkeypatch):
    inside, meetings = [], []

    def alone(look):
        def looked(*args):
            inside.append(look)
            for _ in range(100):
                if len(inside) > 1:
                    meetings.append(tuple(inside))
            inside.pop()
            return look(*args)

        return looked

    ended = Thread(target=lambda: None)
    ended.start()
    ended.join()
    wait = threading.Thread.join
    monkeypatch.setattr(threading.Thread, "is_alive", alone(threading.Thread.is_alive))
    monkeypatch.setattr(threading.Thread, "join", alone(threading.Thread.join))
    wrong = []

    def look(at):
        for _ in range(50):
            try:
                at()
            except BaseException as error:
                wrong.append(error)

    lookers = [threading.Thread(target=look, args=(at,)) for at in (ended.join, ended.is_alive) * 2]
    for one in lookers:
        one.start()
    for one in lookers:
        wait(one)
    assert not meetings
    assert not wrong


def test_a_join_ends_with_its_timeout_and_with_the_thread():
    gate = threading.Event()
    thread = Thread(target=gate.wait)
    assert not thread.is_alive()
    thread.start()
    thread.join(0.0)
    thread.join(-1)
    thread.join(0.01)
    assert thread.is_alive()
    gate.set()
    thread.join(20)
    assert not thread.is_alive()
    thread.join()


def test_nobody_waits_behind_another_that_joins_a_thread_which_takes_its_time_to_end():
    release, local = threading.Event(), threading.local()

    class Slow:
        def __del__(self):
            release.wait()

    def run():
        local.slow = Slow()

    thread = Thread(target=run)
    thread.start()
    joiners = [threading.Thread(target=thread.join) for _ in range(3)]
    for one in joiners:
        one.start()
    thread.join(0.01)
    assert all(thread.is_alive() for _ in range(100))
    release.set()
    for one in joiners:
        one.join()
    assert not thread.is_alive()


def test_a_thread_whose_target_raises_ends_for_those_that_join_it(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    thread = Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()


def test_a_thread_is_not_joined_by_itself_nor_before_its_start():
    refused = threading.Event()

    def join_itself():
        with pytest.raises(RuntimeError, match="join current thread"):
            thread.join()
        refused.set()

    thread = Thread(target=join_itself)
    with pytest.raises(RuntimeError, match="before it is started"):
        thread.join()
    thread.start()
    thread.join()
    assert refused.is_set()
