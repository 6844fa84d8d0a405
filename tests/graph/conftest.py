import pytest

from actors_rs import ActorSystem
from actors_rs.runtime.dispatch.timers import Timers
from tests.graph.helpers import SECONDS


@pytest.fixture(scope="module")
def shared():
    """One system for the property tests of a module."""
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


@pytest.fixture
def looks(monkeypatch):
    """In how many seconds looks at a turn that lasts were asked for, in order."""
    after, asked = Timers.after, []

    def noting(timers, seconds, callback):
        if getattr(callback, "__name__", "") == "_look_at_turn":
            asked.append(seconds)
        return after(timers, seconds, callback)

    monkeypatch.setattr(Timers, "after", noting)
    return asked
