"""``python -m stress.bench [--json | --markdown] [--scale S] [NAME ...]``.

Exit code 0 if everything could be measured, whether or not the goals were met; 1 if not.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Sequence

from actors_rs.errors import ActorsRsError
from stress.bench.measuring.harness import Figure
from stress.bench.measuring.report import line, machine, markdown

__all__ = ["NAMES", "main", "measure"]

NAMES = (
    "pipeline",
    "pipeline_peers",
    "ten_maps",
    "operators",
    "windows",
    "tell_ask",
    "many_actors",
    "map_async",
    "slow_source",
    "foreign_subscriber",
    "memory",
    "spark",
    "spark_fan_out",
    "metrics",
    "watching",
    "supervision",
    "junctions",
    "substreams",
    "many_groups",
    "everyday",
    "processes",
    "jobs",
    "quiescence",
)
"""The benchmarks; each is a module of this package or of ``overhead``, imported in its turn."""
OVERHEAD = {"metrics", "watching", "supervision", "quiescence"}
"""Those that are modules of ``overhead``."""


def measure(name: str, scale: float) -> list[Figure]:
    """Run one benchmark; ``scale`` 1 is the full size."""
    room = "stress.bench.overhead" if name in OVERHEAD else "stress.bench"
    figures: list[Figure] = importlib.import_module(f"{room}.{name}").measure(scale)
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    figures: list[Figure] = []
    failed: dict[str, str] = {}
    for name in options.names or NAMES:
        try:
            measured = measure(name, options.scale)
        except (ActorsRsError, RuntimeError) as error:
            failed[name] = str(error)
            print(f"{name}: not measured: {error}", file=sys.stderr)
            continue
        figures += measured
        if not options.json and not options.markdown:
            print(*map(line, measured), sep="\n", flush=True)
    if options.json:
        data = [figure.as_data() for figure in figures]
        print(json.dumps({"machine": machine(), "figures": data, "failed": failed}, indent=2))
    elif options.markdown:
        print(*(f"- {key}: {value}" for key, value in machine().items()), "", sep="\n")
        print(markdown(figures))
    return 1 if failed else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m stress.bench", description="Benchmarks: ratios measured side by side."
    )
    # Checked here: argparse's own choices refuse an empty list of names.
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(NAMES)}")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="machine-readable results")
    form.add_argument("--markdown", action="store_true", help="a table for the documentation")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the runs, default 1")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in NAMES]
    if unknown or options.scale <= 0:
        wrong = (
            f"no benchmark '{unknown[0]}'" if unknown else f"scale {options.scale} is not above 0"
        )
        parser.error(f"{wrong}; the benchmarks are {', '.join(NAMES)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
