"""Retries: calls that fail now and then are made again, those that always fail are put aside.

    python examples/retries.py 200

Orders are sent to a shop that is overloaded at times and refuses some orders for good. A call that
fails for now is made again after a while, and no other order waits for that. There is a budget for
such calls, because a shop that is down must not be met with more calls than one that is up. An
order that fails in the end is a dead letter with its cause, and the stream goes on.
"""

import argparse
from threading import Lock

from actors_rs import ActorSystem, Backoff, RateLimit, Sink, Source


class OverloadedError(Exception):
    """Try again later."""


class RefusedError(Exception):
    """Do not try again."""


class Shop:
    """Stands for a shop elsewhere: overloaded at every fourth call, and it sells no umbrellas."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.calls = 0

    def send(self, order: str) -> str:
        """A receipt for ``order``; runs on several threads at a time."""
        with self._lock:
            self.calls = number = self.calls + 1
        if order.startswith("umbrella"):
            raise RefusedError(order)
        if number % 4 == 0:
            raise OverloadedError(f"call {number}")
        return f"receipt for {order}"


def orders(total: int) -> list[str]:
    """So many orders, one in fifty for umbrellas."""
    return [f"{'umbrella' if n % 50 == 7 else 'kettle'} {n}" for n in range(total)]


def main(total: int) -> None:
    """Send ``total`` orders and tell what became of them."""
    shop = Shop()
    sent = (
        Source.from_iterable(orders(total))
        .map_async(shop.send, parallelism=4, ordered=False)
        .retry(
            Backoff(initial=0.05, maximum=2.0),
            max_attempts=8,
            budget=RateLimit(1000, per=60.0, burst=500),
            when=lambda error: isinstance(error, OverloadedError),
        )
        .on_failure("resume")
        .named("send")
    )
    with ActorSystem() as system:
        receipts = system.start(sent.to(Sink.list())).result()
        lately = sorted(str(letter.what) for letter in system.dead_letters.recent())
    print(f"{len(receipts)} receipts for {total} orders, in {shop.calls} calls")
    print(f"put aside: {total - len(receipts)}, lately", ", ".join(lately) or "none")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("total", type=int, nargs="?", default=200, help="how many orders are sent")
    main(parser.parse_args().total)
