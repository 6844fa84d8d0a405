"""API enrichment: orders get their customer's name from an HTTP service that limits its callers.

    python examples/api_enrichment.py

The program starts the service on this machine. The service answers 429 to calls beyond its limit,
503 now and then, and 404 for customers that it does not know. The stream keeps to the limit, makes
failed calls again where that can help, and sets orders without a customer aside.
"""

import json
import time
from collections import Counter
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, ClassVar

import httpx

from actors_rs import ActorSystem, Backoff, RateLimit, Sink, Source

CALLS_PER_SECOND = 200
BURST = 10
ORDERS = [{"order": n, "customer": 7 * n % 40} for n in range(100)]
UNKNOWN = 13  # a customer that the service has deleted

Order = dict[str, Any]


class Service(BaseHTTPRequestHandler):
    """``GET /customers/7`` is answered with the name of customer 7."""

    answers: ClassVar[Counter[int]] = Counter()
    lock, tokens, since = Lock(), float(BURST), time.monotonic()

    def do_GET(self) -> None:
        """Answer one call."""
        customer = int(self.path.rpartition("/")[2])
        status = self.status_for(customer)
        body = json.dumps({"name": f"customer {customer}"}).encode() if status == 200 else b""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if status == 429:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(body)

    @classmethod
    def status_for(cls, customer: int) -> int:
        """Which status the next answer has. Each 15th call meets a service that is busy."""
        with cls.lock:
            now = time.monotonic()
            cls.tokens = min(BURST, cls.tokens + (now - cls.since) * CALLS_PER_SECOND)
            cls.since = now
            cls.tokens -= (passes := cls.tokens >= 1)
            busy = cls.answers.total() % 15 == 14
            status = 429 if not passes else 503 if busy else 404 if customer == UNKNOWN else 200
            cls.answers[status] += 1
            return status

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing for each call."""


def enriched(client: httpx.Client, order: Order) -> Order:
    """The order with the name of its customer. Several threads call this at a time."""
    answer = client.get(f"/customers/{order['customer']}")
    answer.raise_for_status()
    return {**order, **answer.json()}


def may_pass(error: Exception) -> bool:
    """Whether the same call may succeed later: not if the service knows no such customer."""
    return not (isinstance(error, httpx.HTTPStatusError) and error.response.status_code == 404)


def asked_wait(error: Exception) -> float | None:
    """The seconds that the answer asks for, if it does."""
    if isinstance(error, httpx.HTTPStatusError) and "Retry-After" in error.response.headers:
        return float(error.response.headers["Retry-After"])
    return None


def orders_with_names(client: httpx.Client) -> Source[Order]:
    """The stream. First and repeated calls together stay within what the service allows."""
    first_calls = RateLimit(0.8 * CALLS_PER_SECOND, burst=BURST / 2)
    repeated_calls = RateLimit(0.2 * CALLS_PER_SECOND, burst=20)
    return (
        Source.from_iterable(ORDERS)
        .throttle(first_calls)
        .map_async(partial(enriched, client), parallelism=8)
        .retry(
            Backoff(0.05, maximum=1.0),
            max_attempts=5,
            budget=repeated_calls,
            when=may_pass,
            after=asked_wait,
        )
        .on_failure("resume")
        .named("look up")
    )


def main() -> None:
    """Enrich all orders and say what became of the others."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server, ActorSystem() as system:
        Thread(target=server.serve_forever, daemon=True).start()
        with httpx.Client(base_url=f"http://127.0.0.1:{server.server_port}", timeout=5.0) as client:
            orders = system.start(orders_with_names(client).to(Sink.list())).result()
        letters = system.dead_letters.recent()
        server.shutdown()
    print(f"{len(orders)} of {len(ORDERS)} orders have a name, the last one: {orders[-1]}")
    print("set aside:", *sorted(str(letter.what) for letter in letters))
    print("calls were made again:", "yes" if Service.answers.total() > len(ORDERS) else "no")


if __name__ == "__main__":
    main()
