"""A source that blocks takes no thread from those who are to get what it has given."""

import threading

from actors_rs import ActorSystem, Sink, Source
from tests.graph.helpers import SECONDS


def test_what_a_blocked_source_has_given_arrives_without_a_look_of_the_pool(monkeypatch):
    """With one worker, which it holds: only the stage itself can ask for another."""
    monkeypatch.setattr("actors_rs.runtime.dispatch.pool.PoolDispatcher._look", lambda *_: None)
    arrived, wait = threading.Event(), threading.Event()

    def elements():
        yield 1
        assert wait.wait(SECONDS)

    with ActorSystem(workers=1) as system:
        source = Source.from_iterable(elements).map(lambda n: n)
        run = system.start(source.to(Sink.for_each(lambda _: arrived.set())))
        assert arrived.wait(SECONDS)
        wait.set()
        assert run.result(SECONDS) == 1
