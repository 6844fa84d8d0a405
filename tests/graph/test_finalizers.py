# mypy: disable-error-code="attr-defined"
"""What a ``__del__`` may do wherever the collector runs it: also inside what it uses."""

import threading

import pytest

from actors_rs import ActorSystem, KillSwitch, RateLimit, Sink, Source
from actors_rs.engine.boundary.hub import HubPublisher
from actors_rs.language.merge_hub import MergeHub
from tests.graph.helpers import Book, wait_until

SECONDS = 10.0


@pytest.fixture
def system():
    with ActorSystem(workers=1, shutdown_timeout=SECONDS) as system:
        yield system
        system.shutdown(drain=False)


def is_done_inside(shared, use):
    """Whether ``use`` returns on a thread that is inside ``shared``, as a ``__del__`` may be."""
    done = threading.Event()

    def inside():
        with shared._lock:
            use()
        done.set()

    threading.Thread(target=inside, daemon=True).start()
    return done.wait(SECONDS)


def test_a_kill_switch_can_be_used_inside_of_it():
    shut, aborted = KillSwitch(), KillSwitch()
    assert is_done_inside(shut, shut.shutdown)
    assert is_done_inside(aborted, lambda: aborted.abort(KeyError()))
    assert (shut.state, aborted.state) == ("shut_down", "aborted")


def test_a_rate_limit_can_be_changed_inside_of_it():
    limit = RateLimit(1)
    assert is_done_inside(limit, lambda: limit.change(5))
    assert repr(limit) == "RateLimit(5, per=1, burst=1)"


def test_streams_of_a_merge_hub_come_and_go_inside_of_it(system):
    hub: MergeHub[int] = Source.merge_hub()
    seen: list[int] = []
    before = hub.attach(Source.never())
    assert is_done_inside(hub, before.cancel)
    run = system.start(hub.source.to(Sink.for_each(seen.append)))
    attached = hub.attach(Source.never())
    assert is_done_inside(hub, lambda: hub.attach(Source.of(1)))
    wait_until(lambda: seen == [1])
    assert is_done_inside(hub, attached.cancel)
    assert is_done_inside(hub, hub.close)
    assert run.result(SECONDS) == 1


def test_a_hub_is_subscribed_to_inside_of_it(system):
    hub: HubPublisher[int] = Source.of(1).hub(system, replay=1)
    books = Book(first=2), Book(first=2)
    for book in books:  # the first one starts it
        assert is_done_inside(hub, lambda book=book: hub.subscribe(book))
    assert [book.wait() for book in books] == ["complete", "complete"]
