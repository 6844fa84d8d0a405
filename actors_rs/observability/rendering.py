"""The rows of a run as a table of the ``rich`` library. Needs the extra ``live``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from actors_rs.engine.run.snapshot import RunSnapshot
from actors_rs.observability.table import Row, rows_of, title_of

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table

__all__ = ["rendered"]

FIGURES = {
    "in": ("elements_in", ""),
    "out": ("elements_out", ""),
    "per s": ("per_second", ""),
    "demand": ("demand", ""),
    "buffered": ("buffered", ""),
    "bytes": ("bytes", ""),
    "busy": ("busy", "green"),
    "idle": ("idle", "dim"),
    "held": ("back_pressured", "yellow"),
}
"""The columns of figures: the field of a row, and the style."""
NAME_WIDTH = 12
"""Least width of the column of names where there are columns for counted figures."""
_WIDE = 10_000
STATE_STYLES = {"running": "green", "ended": "dim", "failed": "bold red"}


def rendered(now: RunSnapshot, before: RunSnapshot | None = None) -> RenderableType:
    """A table with a line for each stage, and below it what single stages add.

    Bytes have a column in a system with a memory limit, figures such as ``resumed`` while a stage
    has some. Where the terminal is too
    narrow for those columns, they are in the lines below the table.
    """
    return _Picture(title_of(now), rows_of(now, before))


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
        weighed = any(row.bytes for row in self._rows)
        figures = [figure for figure in FIGURES if figure != "bytes" or weighed]
        table = _empty_table(self._title, figures, counted)
        for row in self._rows:
            _add(table, row, figures, [row.counted.get(what, "") for what in counted])
        return table


def _empty_table(title: str, figures: Sequence[str], counted: Sequence[str]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.padding = (0, 0)
    names = NAME_WIDTH if counted else None
    table.add_column("stage", overflow="fold", min_width=names)  # the one column that gives way
    table.add_column("state", no_wrap=True)
    for figure in (*figures, *counted):
        table.add_column(figure, justify="right", no_wrap=True)
    return table


def _add(table: Table, row: Row, figures: Sequence[str], counted: Sequence[str]) -> None:
    from rich.text import Text

    table.add_row(
        Text(f"{row.name} <" if row.bottleneck else row.name),
        Text(row.state, STATE_STYLES[row.state]),
        *(Text(getattr(row, field), style) for field, style in map(FIGURES.__getitem__, figures)),
        *(Text(count, "red") for count in counted),
        style="bold" if row.bottleneck else "",
    )
