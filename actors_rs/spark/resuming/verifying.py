"""Partitions that are done, computed again: the belt of a run that is gone on with."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

from actors_rs.delivery.schema import Entry
from actors_rs.errors import LedgerError
from actors_rs.spark.plan import PartitionPlan
from actors_rs.spark.repeat.checksum import Checksum
from actors_rs.texts import counted

__all__ = ["changed_file", "verify_partition"]


def verify_partition(
    plan: PartitionPlan[Any],
    tag: str,
    entry: Entry,
    rows_of: Callable[[Any], int],
    path: str,
    changed: str = "",
) -> None:
    """Raise ``LedgerError`` unless the partition of ``entry`` still has the rows it had. Blocks.

    Of elements that never were Arrow only the number is known. ``changed``: a file that has.
    """
    checksum, rows = Checksum(), 0
    with closing(plan.fetch(entry.partition, tag, checksum)) as elements:
        for element in elements:
            rows += rows_of(element)
    if rows == entry.rows and (None in (entry.checksum, checksum.text) or _same(entry, checksum)):
        return
    counts = f"{entry.rows} rows when it was committed, {rows} now"
    code = "the code of a function in the plan has changed"
    causes = f"{changed}; or {code}" if changed else f"{code}; or its input has changed"
    raise LedgerError(
        f"{path}: partition {entry.partition} has other rows than before ({counts}): to go on "
        f"would lose or double rows, so nothing was written. The cause: {causes}; or a function "
        "gives other values each time. Go on with the code and the input as they were, or begin "
        "again with an empty output and another ledger; resume(ledger, verify=0) goes on unseen"
    )


def changed_file(then: dict[str, int], now: dict[str, int]) -> str:
    """The first file whose size or place in Spark's list was another one; "" if there is none.

    Spark deals files to partitions by their sizes, and files of the same size in the order in which
    the directory lists them. On some file systems that is by age.
    """
    changed = sorted(name for name in then.keys() & now.keys() if then[name] != now[name])
    if changed:
        first, *others = changed
        more = f", and {counted(len(others), 'more file')} changed" if others else ""
        return f"{first} has {now[first]} bytes, and had {then[first]} before{more}"
    before_now = [name for name in then if name in now], [name for name in now if name in then]
    for before, name in zip(*before_now, strict=True):
        if before != name:
            return f"the directory lists {name} where it listed {before} before"
    return ""


def _same(entry: Entry, checksum: Checksum) -> bool:
    return entry.checksum == checksum.text
