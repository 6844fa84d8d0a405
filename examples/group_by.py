"""Group by: one stream of sales becomes a file and a sum for each shop, all written at a time.

    python examples/group_by.py 20000 build/sales

Each shop's sales are a stream of their own, a group: its elements go to the shop's file and are
added up. No more than ``MOST`` groups are open at once, so neither are files. A shop that has sold
nothing for a while makes room for a new one; when it sells again it gets a new group and a further
file. That is what ``on_overflow`` says; other answers are to wait (``"backpressure"``), to put all
further shops into one group (``"divert"``), or to fail.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from actors_rs import Graph, Group, Sink, Source

MOST = 8
SHOPS = 12

Sale = dict[str, Any]


def sales(number: int) -> Iterator[Sale]:
    """Sales in ``SHOPS`` shops, of which a few sell most, and not the same ones all day."""
    dice = Random(7)
    for n in range(number):
        shop = (int(dice.gauss(0, 1.5)) + n * SHOPS // number) % SHOPS
        yield {"shop": f"shop-{shop}", "cents": dice.randrange(100, 2000)}


def graph(number: int, folder: Path) -> Graph[list[tuple[str, int]]]:
    """Ends in pairs of a shop and what it sold, one for each group that it had."""
    files = count(1)

    def summed(group: Group[str, Sale]) -> Source[tuple[str, int]]:
        file = folder / f"{group.key}.{next(files)}.jsonl"
        cents = group.also_to(Sink.jsonl(file)).map(lambda sale: int(sale["cents"]))
        return cents.sum().map(lambda total: (group.key, total))

    return (
        Source.from_iterable(lambda: sales(number))
        .group_by(lambda sale: sale["shop"], max_groups=MOST, on_overflow="evict_idle")
        .flat_map(summed, breadth=2 * MOST)  # those that end still have to be written
        .to(Sink.list())
    )


def empty_folder(name: str) -> Path:
    """The folder of that name; with files in it, those of an earlier run perhaps, it is refused."""
    folder = Path(name)
    if folder.exists() and any(folder.iterdir()):
        raise argparse.ArgumentTypeError(f"expected an empty folder or none, got {name!r}")
    return folder


def main(number: int, folder: Path) -> None:
    """Sort ``number`` sales into files in ``folder``, where none are as yet."""
    folder.mkdir(parents=True, exist_ok=True)
    totals: defaultdict[str, int] = defaultdict(int)
    groups = graph(number, folder).run()
    for shop, cents in groups:
        totals[shop] += cents
    for shop, cents in sorted(totals.items(), key=lambda pair: -pair[1]):
        print(f"{shop:8} {cents / 100:10.2f}")
    print(f"{number} sales in {len(totals)} shops, in {len(groups)} files")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("sales", type=int, help="how many there are")
    parser.add_argument("folder", type=empty_folder, help="where the files are written")
    options = parser.parse_args()
    main(options.sales, options.folder)
