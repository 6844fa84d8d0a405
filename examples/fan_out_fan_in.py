"""Fan out, fan in: orders are checked, priced by several stages at a time, and go to two places.

    python examples/fan_out_fan_in.py orders.csv out

An order is a line such as ``7,apples,3``: number, article, quantity. Lines that are none go to
``out/rejected.jsonl``, the priced orders to ``out/priced.jsonl``, and the sum for each article is
printed, below an outline of the graph that did it.
"""

import argparse
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors_rs import Flow, Graph, Sink, Source, merge

CENTS = {"apples": 40, "bread": 310, "cheese": 1290}
PRICERS = 3


@dataclass(frozen=True)
class Order:
    """One line that makes sense."""

    number: int
    article: str
    quantity: int


def parse(line: str) -> Order | str:
    """The order on ``line``, or the line itself if there is none on it."""
    try:
        number, article, quantity = line.split(",")
        return Order(int(number), article.strip(), int(quantity))
    except ValueError:
        return line


def priced(order: Order) -> dict[str, Any]:
    """The order with its price. Imagine something slower: a look-up, a computation."""
    cents = CENTS.get(order.article, 0) * order.quantity
    return {"number": order.number, "article": order.article, "cents": cents}


def add(sums: Counter[str], order: dict[str, Any]) -> Counter[str]:
    """``sums`` with one more order. A new value: each run of the graph begins with the old one."""
    return sums + Counter({order["article"]: order["cents"]})


def graph(orders: Path, out: Path) -> Graph[tuple[Any, ...]]:
    """All of it, as a value; nothing runs yet."""
    rejected = Sink.jsonl(out / "rejected.jsonl").named("rejected")
    good = Source.lines(orders).map(parse).divert_to(rejected, lambda order: isinstance(order, str))
    # Each pricer takes an order when it can. A small window keeps orders from waiting for one
    # that is busy while another one has nothing to do.
    pricer = Flow[Any, Order]().map(priced).with_attributes(window=4)
    pricers = [lane.via(pricer) for lane in good.balance(PRICERS)]
    to_file, to_sums = merge(*pricers).broadcast(2)
    none: Counter[str] = Counter()
    return Graph(
        to_file.to(Sink.jsonl(out / "priced.jsonl").named("priced")),
        to_sums.to(Sink.fold(none, add).named("sums")),
    )


def main(orders: str, out: str) -> None:
    """Run it and print the outline and the sums."""
    Path(out).mkdir(parents=True, exist_ok=True)
    made = graph(Path(orders), Path(out))
    print(made, end="\n\n")
    _, sums = made.run()
    for article, cents in sorted(sums.items()):
        print(f"{article:10} {cents / 100:10.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("orders", help="a file of orders, one a line")
    parser.add_argument("folder", help="where the files are written")
    options = parser.parse_args()
    main(options.orders, options.folder)
