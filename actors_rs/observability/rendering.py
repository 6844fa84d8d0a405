"""The rows of a run as a table of the ``rich`` library. Needs the extra ``live``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from actors_rs.engine.run.snapshot import RunSnapshot
from actors_rs.observability.table import Row, rows_of, state_of

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table

__all__ = ["rendered"]

FIGURES = ("in", "out", "per s", "demand", "buffered", "busy", "idle", "held")
NAME_WIDTH = 12
"""Least width of the column of names where there are columns for counted figures."""
_WIDE = 10_000
STATE_STYLES = {"running": "green", "ended": "dim", "failed": "bold red"}


def rendered(now: RunSnapshot, before: RunSnapshot | None = None) -> RenderableType:
    """A table with a line for each stage, and below it what single stages add.

    Figures such as ``resumed`` have a column while a stage has some. Where the terminal is too
    narrow for those columns, they are in the lines below the table.
    """
    return _Picture(f"{now.name} {state_of(now)}, {now.seconds:.1f} s", rows_of(now, before))


class _Picture:
    """What ``rich`` asks for once it knows how wide the terminal is."""

    def __init__(self, title: str, rows: Sequence[Row]) -> None:
        self._title = title
        self._rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.measure import Measurement
        from rich.text import Text

        counted = dict.fromkeys(what for row in self._rows for what in row.counted)
        table = self._table(list(counted))
        fits = Measurement.get(console, options.update(width=_WIDE), table).minimum
        if below := fits > options.max_width:
            table = self._table([])
        yield table
        for row in self._rows:
            more = [f"{count} {what}" for what, count in row.counted.items()] if below else []
            if row.details or more:
                yield Text(f"{row.name}: {'; '.join(filter(None, (row.details, ', '.join(more))))}")
        yield from (
            Text(f"bottleneck: {r.name}", "bold yellow") for r in self._rows if r.bottleneck
        )

    def _table(self, counted: Sequence[str]) -> Table:
        table = _empty_table(self._title, counted)
        for row in self._rows:
            _add(table, row, [row.counted.get(what, "") for what in counted])
        return table


def _empty_table(title: str, counted: Sequence[str]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.padding = (0, 0)
    names = NAME_WIDTH if counted else None
    table.add_column("stage", overflow="fold", min_width=names)  # the one column that gives way
    table.add_column("state", no_wrap=True)
    for figure in (*FIGURES, *counted):
        table.add_column(figure, justify="right", no_wrap=True)
    return table


def _add(table: Table, row: Row, counted: Sequence[str]) -> None:
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
        *(Text(count, "red") for count in counted),
        style="bold" if row.bottleneck else "",
    )
