"""The rows of a run as a table of the ``rich`` library. Needs the extra ``live``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from actors_rs.graph.snapshot import RunSnapshot
from actors_rs.observability.table import Row, rows_of, state_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

__all__ = ["rendered"]

FIGURES = ("in", "out", "per s", "demand", "buffered", "busy", "idle", "held")
STATE_STYLES = {"running": "green", "ended": "dim", "failed": "bold red"}


def rendered(now: RunSnapshot, before: RunSnapshot | None = None) -> RenderableType:
    """A table with a line for each stage, and below it what single stages add."""
    from rich.console import Group
    from rich.text import Text

    rows = rows_of(now, before)
    table = _empty_table(f"{now.name} {state_of(now)}, {now.seconds:.1f} s")
    for row in rows:
        _add(table, row)
    below = [Text(f"{row.name}: {row.details}") for row in rows if row.details]
    below += [Text(f"bottleneck: {row.name}", "bold yellow") for row in rows if row.bottleneck]
    return Group(table, *below)


def _empty_table(title: str) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.padding = (0, 0)
    table.add_column("stage", overflow="fold")  # the one column that gives way
    table.add_column("state", no_wrap=True)
    for figure in FIGURES:
        table.add_column(figure, justify="right", no_wrap=True)
    return table


def _add(table: Table, row: Row) -> None:
    from rich.text import Text

    table.add_row(
        Text(f"{row.name} <" if row.bottleneck else row.name),
        Text(row.state, STATE_STYLES[row.state]),
        row.elements_in,
        row.elements_out,
        row.per_second,
        row.demand,
        row.buffered,
        Text(row.busy, "green"),
        Text(row.idle, "dim"),
        Text(row.back_pressured, "yellow"),
        style="bold" if row.bottleneck else "",
    )
