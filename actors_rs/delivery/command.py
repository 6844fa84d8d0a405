"""``actors-rs status``: its options, and the lines that it prints."""

from __future__ import annotations

import argparse
import json
from typing import Any

from actors_rs.delivery.ledger import status
from actors_rs.delivery.reporting import partition_lines, report_lines
from actors_rs.runtime._primitives import wall_clock

__all__ = ["add_status", "status_lines"]


def add_status(commands: Any) -> argparse.ArgumentParser:
    """Add the command to ``commands``, the sub-parsers of the command line."""
    ledger: argparse.ArgumentParser = commands.add_parser(
        "status",
        help="print how far the run of a ledger has come",
        description="Print how far the run of a ledger has come, at what rate, and why partitions "
        "were given up. The run may go on, have ended, or have been killed.",
    )
    ledger.add_argument("ledger", metavar="LEDGER", help="the file of the ledger")
    shown = ledger.add_mutually_exclusive_group()
    shown.add_argument(
        "--partitions",
        action="store_true",
        help="also print a line for each partition: what became of it, when, at which attempt, by "
        "which start and process, and its last failure (default: a summary)",
    )
    shown.add_argument(
        "--json", action="store_true", help="print all figures as JSON (default: a summary)"
    )
    return ledger


def status_lines(options: argparse.Namespace) -> list[str]:
    """The lines that the command prints. Raises the errors of ``status``."""
    report = status(options.ledger)
    if options.json:
        return [json.dumps(report.as_dict(), indent=2)]
    lines = partition_lines(report) if options.partitions else ()
    return [*report_lines(report, wall_clock()), *lines]
