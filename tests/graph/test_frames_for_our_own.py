# mypy: disable-error-code="attr-defined"
"""Whole frames are for subscribers of ours; anybody else's gets single elements."""

import threading
from unittest.mock import Mock, call

import pytest

from actors_rs import ActorSystem, Sink, Source
from tests.graph.helpers import SECONDS, Book


@pytest.fixture(params=[False, True], ids=["plain", "monitored"])
def system(request):
    with ActorSystem(workers=2, shutdown_timeout=SECONDS, monitor=request.param) as system:
        yield system


class Proxy:
    """Stands in front of another subscriber and knows of each call."""

    def __init__(self, behind):
        self.behind = behind
        self.calls = []

    def __getattr__(self, name):
        self.calls.append(name)
        return getattr(self.behind, name)


def test_a_mock_as_a_subscriber_gets_single_elements(system):
    over = threading.Event()
    peer = Mock()
    peer.on_subscribe.side_effect = lambda subscription: subscription.request(10)
    peer.on_complete.side_effect = over.set
    system.publisher(Source.range(0, 3)).subscribe(peer)
    assert over.wait(SECONDS)
    assert peer.on_next.call_args_list == [call(0), call(1), call(2)]
    peer.on_frame.assert_not_called()


@pytest.mark.parametrize("of_its_own", [7, [].append])
def test_what_a_subscriber_calls_on_frame_is_its_own_affair(system, of_its_own):
    book = Book(first=10)
    book.on_frame = of_its_own
    system.publisher(Source.range(0, 3)).subscribe(book)
    assert book.wait() == "complete"
    assert book.elements == [0, 1, 2]


def test_a_proxy_in_front_of_a_subscriber_of_ours_sees_each_element(system):
    subscriber = system.subscriber(Sink.list())
    proxy = Proxy(subscriber)
    system.publisher(Source.range(0, 3)).subscribe(proxy)
    assert subscriber.run.result(SECONDS) == [0, 1, 2]
    assert "on_next" in proxy.calls
    assert "on_frame" not in proxy.calls
