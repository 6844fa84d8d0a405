"""examples/api_enrichment.py: each order has its name or is set aside, with no call too many."""

from collections import Counter
from http.server import ThreadingHTTPServer
from threading import Thread

import httpx
import pytest

import api_enrichment as example
from actors_rs import ActorSystem, Sink
from tests.graph.helpers import SECONDS


@pytest.fixture
def client(monkeypatch):
    """A client of a service that has answered nothing yet."""
    monkeypatch.setattr(example.Service, "answers", Counter())
    with ThreadingHTTPServer(("127.0.0.1", 0), example.Service) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        with httpx.Client(base_url=f"http://127.0.0.1:{server.server_port}") as client:
            yield client
        server.shutdown()
        serving.join(SECONDS)


def test_calls_that_may_pass_are_made_again_and_a_customer_that_is_unknown_is_asked_once(client):
    with ActorSystem() as system:
        orders = system.start(example.orders_with_names(client).to(Sink.list())).result(SECONDS)
        aside = sorted(str(letter.what) for letter in system.dead_letters.recent())
    known = [order for order in example.ORDERS if order["customer"] != example.UNKNOWN]
    assert orders == [order | {"name": f"customer {order['customer']}"} for order in known]
    unknown = [order for order in example.ORDERS if order["customer"] == example.UNKNOWN]
    assert aside == sorted(map(str, unknown))
    answers = example.Service.answers
    assert answers[200] == len(known)
    assert answers[404] == len(unknown)
    assert answers[503] > 0
    assert answers.total() == len(example.ORDERS) + answers[503] + answers[429]


def test_the_service_refuses_a_call_without_a_token(client, monkeypatch):
    monkeypatch.setattr(example, "CALLS_PER_SECOND", 0)
    monkeypatch.setattr(example.Service, "tokens", 2.0)
    found = [client.get("/customers/1").status_code for _ in range(3)]
    assert found == [200, 200, 429]


def test_a_refused_call_waits_as_long_as_the_answer_asks_for_and_others_as_the_backoff_says(
    client, monkeypatch
):
    monkeypatch.setattr(example, "CALLS_PER_SECOND", 0)
    monkeypatch.setattr(example.Service, "tokens", 1.0)
    assert example.enriched(client, {"customer": 1})["name"] == "customer 1"
    with pytest.raises(httpx.HTTPStatusError) as refused:
        example.enriched(client, {"customer": 1})
    assert example.asked_wait(refused.value) == 1.0
    monkeypatch.setattr(example.Service, "tokens", 1.0)
    with pytest.raises(httpx.HTTPStatusError) as unknown:
        example.enriched(client, {"customer": example.UNKNOWN})
    assert example.asked_wait(unknown.value) is None
    assert example.asked_wait(httpx.ReadTimeout("")) is None
