"""Watching a JVM: whether it still answers. test_lost_sessions.py freezes a real one."""

import os
import socket
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from actors_rs.spark import liveness
from actors_rs.testing.faults import threads_refused
from tests.spark.jobs import until

pytestmark = pytest.mark.spark


class Gateway:
    """A gateway whose JVM is a socket that takes connections and says nothing, or answers."""

    def __init__(self, answer: bytes = b"") -> None:
        self.proc: Any = None
        self.greeted = 0
        self._answer = answer
        self._server = socket.create_server(("127.0.0.1", 0))
        port = self._server.getsockname()[1]
        self.gateway_parameters = SimpleNamespace(
            address="127.0.0.1", port=port, auth_token="secret"
        )
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        kept = []
        while True:
            try:
                connection = self._server.accept()[0]
            except OSError:
                return
            kept.append(connection)
            assert connection.recv(100) == b"A\nsecret\n"
            self.greeted += 1
            if self._answer:
                connection.sendall(self._answer)

    def close(self) -> None:
        self._server.close()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liveness, "GREET_EVERY", 0.01)
    monkeypatch.setattr(liveness, "_LOOK_EVERY", 0.05)
    monkeypatch.setattr(liveness, "STOPPED_PATIENCE", 0.1)


@pytest.mark.usefixtures("quick")
def test_one_thread_greets_for_all_who_watch_and_tells_them_all() -> None:
    gateway = Gateway()
    told: list[int] = []
    for number in range(3):
        liveness.watch(gateway, lambda number=number: told.append(number))  # type: ignore[misc]
    until(lambda: len(told) == 3)
    assert sorted(told) == [0, 1, 2]
    assert "is frozen" in (liveness.why_frozen(gateway) or "")
    gateway.close()


@pytest.mark.usefixtures("quick")
def test_a_jvm_that_answers_is_greeted_until_nobody_watches() -> None:
    gateway = Gateway(b"!yv\n")
    told: list[int] = []
    with liveness.watch(gateway, lambda: told.append(1)):
        until(lambda: gateway.greeted > 3)
    until(lambda: "spark-liveness" not in [t.name for t in threading.enumerate()])
    assert told == []
    assert liveness.why_frozen(gateway) is None
    gateway.close()


@pytest.mark.usefixtures("quick")
def test_a_jvm_that_goes_on_after_it_was_given_up_is_not_frozen_any_more() -> None:
    gateway = Gateway()
    told: list[int] = []
    liveness.watch(gateway, lambda: told.append(1))
    until(lambda: told)
    gateway._answer = b"!yv\n"
    with liveness.watch(gateway):
        until(lambda: liveness.why_frozen(gateway) is None)
    gateway.close()


@pytest.mark.usefixtures("quick")
def test_where_there_was_no_thread_to_watch_on_the_next_who_watches_gets_one() -> None:
    gateway = Gateway()
    told: list[int] = []
    with threads_refused("spark-liveness"), pytest.raises(RuntimeError, match="new thread"):
        liveness.watch(gateway, lambda: told.append(0))
    with liveness.watch(gateway, lambda: told.append(1)):
        until(lambda: told)
    assert told == [1]
    gateway.close()


def test_behind_a_watchman_that_broke_another_one_is_looked_for() -> None:
    watchman = liveness._Watchman(SimpleNamespace())  # its address cannot be asked for
    assert watchman.take(liveness.Watch(lambda: None))
    with pytest.raises(AttributeError, match="gateway_parameters"):
        watchman.run()
    assert not watchman.take(liveness.Watch(lambda: None))


@pytest.mark.usefixtures("quick")
def test_a_process_that_the_system_runs_is_given_more_time() -> None:
    gateway = Gateway()
    gateway.proc = SimpleNamespace(pid=os.getpid(), kill=lambda: None)
    told: list[int] = []
    with liveness.watch(gateway, lambda: told.append(1)):
        until(lambda: gateway.greeted)
        assert not threading.Event().wait(0.5)
        assert told == []
    gateway.close()
