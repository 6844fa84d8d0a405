"""The options of ``actors-rs run`` for its system: threads and bytes."""

from __future__ import annotations

import argparse

from actors_rs.errors import UserError
from actors_rs.runtime.memory_budget import bytes_of
from actors_rs.texts import repr_of, text_of

__all__ = ["add_system_options"]


def add_system_options(run: argparse.ArgumentParser) -> None:
    """Add ``--workers`` and ``--memory-limit``, as in ``ActorSystem``."""
    run.add_argument(
        "--workers",
        type=_workers,
        metavar="N",
        help="number of threads in the pool, 1 or more (default: one per core)",
    )
    run.add_argument(
        "--memory-limit",
        type=_bytes,
        metavar="SIZE",
        help="bytes that all links of the run hold together at most, such as 1GiB, 512MiB or "
        "1.5GB; near the limit, sources wait (default: no limit)",
    )


def _workers(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(
            f"expected a number of threads from 1 up, got {repr_of(text)}"
        )
    return int(text)


def _bytes(text: str) -> int:
    try:
        return bytes_of(int(text) if text.isdecimal() else text)
    except UserError as error:
        raise argparse.ArgumentTypeError(text_of(error)) from None
