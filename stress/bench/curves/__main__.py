"""``python -m stress.bench.curves [--most N] [NAME ...]``: measure and draw the growth curves.

Prints each point, and how far below the perfect line the worst of them is.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from stress.bench.curves.plot import plot
from stress.bench.measuring.fresh import in_fresh_process

__all__ = ["CURVES", "draw", "main"]

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "pictures" / "curves"
ROUNDS = 3
"""The best of so many counts: a machine with other tenants only makes a point slower."""


class Curve(NamedTuple):
    """A function of ``shapes`` at some sizes."""

    title: str
    x: str
    y: str
    sizes: tuple[int, ...]
    shape: Callable[[float], float] | str
    """How the value of a perfect system grows, but for a factor; or the function of ``shapes`` that
    measures what has no stages at all."""
    most_is_best: bool = True
    rounds: int = ROUNDS


def _same(x: float) -> float:
    return 1.0


def _inverse(x: float) -> float:
    return 1 / x


def _cores(x: float) -> float:
    return min(x, os.cpu_count() or 1)


RATE = "elements/s"
CURVES = {
    "stages": Curve(
        "Throughput and stages", "map stages", RATE, (1, 3, 10, 30, 100, 300, 1000), _inverse
    ),
    "width": Curve(
        "Throughput and width", "branches", RATE, (1, 3, 10, 30, 100, 300, 1000), _inverse
    ),
    "processes": Curve("Throughput and workers", "workers", RATE, (1, 2, 4, 8), _cores),
    "element_size": Curve(
        "Throughput and size of elements",
        "bytes of an element",
        RATE,
        (8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 2 << 20, 8 << 20),
        "element_size_in_a_loop",
    ),
    "groups": Curve(
        "Groups",
        "groups",
        "groups/s",
        (10, 100, 1_000, 10_000, 100_000, 1_000_000),
        _same,
        rounds=1,
    ),
    "actors": Curve(
        "Actors", "actors", "actors/s", (100, 1_000, 10_000, 100_000, 1_000_000), _same, rounds=1
    ),
    "partitions": Curve(
        "Partitions", "partitions", "partitions/s", (10, 100, 1_000, 10_000), _same, rounds=1
    ),
    "memory": Curve(
        "Memory",
        "elements",
        "MiB",
        (1_000, 10_000, 100_000, 1_000_000, 10_000_000),
        _same,
        most_is_best=False,
        rounds=1,
    ),
}


def draw(name: str, most: int) -> str:
    """Measure a curve up to the size ``most``; prints its points, and returns its picture."""
    curve = CURVES[name]
    sizes = [size for size in curve.sizes if size <= most]
    values = [_value(name, curve, size) for size in sizes]
    if isinstance(curve.shape, str):
        perfect = [_value(curve.shape, curve, size) for size in sizes]
    else:
        shape, best = curve.shape, max if curve.most_is_best else min
        factor = best(value / shape(size) for size, value in zip(sizes, values, strict=True))
        perfect = [factor * shape(size) for size in sizes]
    for size, value, ideal in zip(sizes, values, perfect, strict=True):
        print(
            f"{name} {size:,}: {value:,.4g}, perfect {ideal:,.4g}, {value / ideal:.2f}", flush=True
        )
    points = zip(sizes, values, strict=True), zip(sizes, perfect, strict=True)
    return plot(curve.title, curve.x, curve.y, *map(list, points))


def _value(function: str, curve: Curve, size: int) -> float:
    runs = (
        in_fresh_process("stress.bench.curves.shapes", function, size) for _ in range(curve.rounds)
    )
    return float(max(runs) if curve.most_is_best else min(runs))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m stress.bench.curves", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *CURVES], metavar="NAME")
    parser.add_argument("--most", type=int, default=10_000_000, help="the largest size to measure")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in options.names or CURVES:
        picture = draw(name, options.most)
        (FOLDER / f"{name}.svg").write_text(picture)


if __name__ == "__main__":
    main()
