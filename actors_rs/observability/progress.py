"""``progress_bar``: how far a run has come, in one line.

On a terminal it is a bar of ``rich``, in a notebook a bar of HTML; elsewhere a plain line now and
then.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, TextIO

from actors_rs.engine.run.bottleneck import inner_stages
from actors_rs.engine.run.run import Run
from actors_rs.engine.run.snapshot import RunSnapshot
from actors_rs.errors import MissingExtraError
from actors_rs.observability.live import Ticker, shown_or_logged
from actors_rs.observability.notebook import in_notebook, updated_cell
from actors_rs.observability.table import History, compact, moved
from actors_rs.observability.web.progress import progress_of
from actors_rs.runtime.settings import check_kind

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["progress_bar", "progress_line"]

LEAST_WIDTH, MOST_WIDTH = 5, 30
"""Of a bar in the terminal: it leaves the words as much as they need, on one line."""
LINES_APART = 5.0
"""Seconds between two plain lines."""


@contextmanager
def progress_bar(
    run: Run[Any], *, console: Console | None = None, stream: TextIO | None = None
) -> Iterator[None]:
    """Show how far ``run`` has come while the ``with`` block lasts, and at its end.

    ``console`` is a ``rich.console.Console`` (default: standard error). In a notebook the cell
    shows a bar of HTML. Without a terminal a plain line is written to ``stream`` (default:
    standard error) every 5 s and at the end; that needs no ``rich``. No thread is left when the
    block is left. Raises ``ArgumentTypeError`` for what is no run.
    """
    check_kind(run, "snapshot", "progress_bar needs a Run")
    history = History()

    def line() -> str:
        now = run.snapshot()
        return progress_line(now, history.before(now))

    if console is None and in_notebook():
        with updated_cell(partial(_cell, run, line)):
            yield
        return
    screen = _console() if console is None else console
    if screen is not None and screen.is_terminal:
        with _bar(run, screen, line):
            yield
        return
    out = sys.stderr if stream is None else stream
    try:
        with Ticker(lambda: print(line(), file=out, flush=True), LINES_APART):
            yield
    finally:
        shown_or_logged(lambda: print(line(), file=out, flush=True))


def progress_line(now: RunSnapshot, before: RunSnapshot | None = None) -> str:
    """The known facts as ``run: 40% (40 of 100), 12/s, 0:00:05 left, bottleneck enrich``.

    Without a total: ``run: 12.3k elements, 640/s, 0:00:25, bottleneck enrich``, with the time since
    the start. The rate is that since ``before``; of a run that has ended, the average of the whole
    run. It counts the elements of the total; if there is none, or it has another unit, it counts
    the elements that the sink has taken.
    """
    parts = []
    known = progress_of(now)
    count = _counted(now, known) or 0
    if known is None:
        parts.append(f"{compact(count)} elements")
    else:
        done, total, unit = known["done"], known["total"], known["unit"]
        of = f"{compact(done)} of {compact(total)}" + ("" if unit == "elements" else f" {unit}")
        if lost := known["given_up"]:
            of += f": {compact(done - lost)} done, {compact(lost)} given up"
        parts.append(f"{min(done, total) / total:.0%} ({of})" if total else of)
    over = now.state != "running"
    parts.append(f"{compact(_rate(now, count, None if over else before))}/s")
    if known is not None and known["left"] is not None:
        parts.append(f"{_clock(known['left'])} left")
    if over:
        drained = " (drained)" if now.state == "completed" and now.draining else ""
        parts.append(f"{now.state}{drained} after {_clock(now.seconds)}")
    else:
        if known is None:
            parts.append(_clock(now.seconds))
        if (slowest := now.bottleneck) is not None:
            parts.append(f"bottleneck {slowest.name}")
    return f"{now.name}: {', '.join(parts)}"


def _rate(now: RunSnapshot, count: int, before: RunSnapshot | None) -> float:
    """Elements a second, of which ``count`` have come so far."""
    earlier = None if before is None else _counted(before, progress_of(before))
    seconds = now.seconds - (before.seconds if before and earlier is not None else 0.0)
    return max(0, count - (earlier or 0)) / seconds if seconds > 0 else 0.0


def _counted(snapshot: RunSnapshot, known: dict[str, Any] | None) -> int | None:
    """The elements that the total counts, or else the sink; ``None`` before there is a stage."""
    if known is not None and known["unit"] == "elements":
        return int(known["done"])
    inner = inner_stages(snapshot.stages, snapshot.links)  # listed after the stages of the graph
    sink = next((one for one in reversed(snapshot.stages) if one.name not in inner), None)
    return None if sink is None else moved(sink)


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


def _console() -> Console | None:
    try:
        from rich.console import Console
    except ImportError:
        if sys.stderr.isatty():
            raise MissingExtraError(
                "a progress bar in the terminal needs the rich library, which is not installed: "
                "pip install 'actors-rs[live]'"
            ) from None
        return None
    return Console(stderr=True)


def _cell(run: Run[Any], line: Callable[[], str]) -> dict[str, str]:
    text = line()
    known = progress_of(run.snapshot())
    value = (
        ""
        if known is None or not known["total"]
        else f' value="{known["done"] / known["total"]:.4f}"'
    )
    return {"text/plain": text, "text/html": f"<progress{value}></progress> {escape(text)}"}


@contextmanager
def _bar(run: Run[Any], console: Console, line: Any) -> Iterator[None]:
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    def picture() -> Table:
        known = progress_of(run.snapshot())
        total = None if known is None else known["total"]
        done = 0 if known is None else known["done"]
        text = Text(line(), no_wrap=True, overflow="ellipsis")
        width = max(LEAST_WIDTH, min(MOST_WIDTH, console.width - len(text) - 1))
        row = Table.grid(padding=(0, 1))
        row.add_row(ProgressBar(total, done, width=width, pulse=total is None), text)
        return row

    live = Live(console=console, get_renderable=picture, auto_refresh=False)
    try:
        live.start(refresh=True)
        with Ticker(live.refresh, 0.25):
            yield
    finally:
        shown_or_logged(live.stop)
