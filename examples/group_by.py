"""Group by: one stream of sales becomes files and a sum for each shop, all written at a time.

    python examples/group_by.py

Each shop's sales are a stream of their own, a group. A group writes its sales to a file and adds
them up. At most ``MOST`` groups are open at once, and so are at most that many files. A new shop
takes the place of the shop that has sold nothing for longest. When that shop sells again, it gets
a new group and one more file.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from actors_rs import Graph, Group, Sink, Source

MOST = 8
SHOPS = 12
SALES = 20_000

Sale = dict[str, Any]


def sales() -> Iterator[Sale]:
    """Sales in ``SHOPS`` shops, of which a few sell most, and not the same ones all day."""
    dice = Random(7)
    for n in range(SALES):
        shop = (int(dice.gauss(0, 1.5)) + n * SHOPS // SALES) % SHOPS
        yield {"shop": f"shop-{shop}", "cents": dice.randrange(100, 2000)}


def graph(folder: Path) -> Graph[list[tuple[str, int]]]:
    """Ends in pairs of a shop and its sum, one for each group that the shop had."""
    files = count(1)

    def summed(group: Group[str, Sale]) -> Source[tuple[str, int]]:
        file = folder / f"{group.key}.{next(files)}.jsonl"
        cents = group.also_to(Sink.jsonl(file)).map(lambda sale: int(sale["cents"]))
        return cents.sum().map(lambda total: (group.key, total))

    return (
        Source.from_iterable(sales)
        .group_by(lambda sale: sale["shop"], max_groups=MOST, on_overflow="evict_idle")
        .flat_map(summed, breadth=2 * MOST)  # groups that end still have a file to write
        .to(Sink.list())
    )


def main(folder: Path) -> None:
    """Sort all sales into files in ``folder``."""
    totals: Counter[str] = Counter()
    for shop, cents in graph(folder).run():
        totals[shop] += cents
    for shop, cents in totals.most_common(3):
        print(f"{shop:8} {cents / 100:10.2f}")
    print(f"{SALES} sales, {totals.total() / 100:.2f}, in {len(totals)} shops")
    print("a shop has several files:", "yes" if len(list(folder.iterdir())) > SHOPS else "no")


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(temporary))
