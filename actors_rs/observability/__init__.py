"""Watching a run: a live table in the terminal, or log lines where there is none."""

from actors_rs.observability.json_lines import JsonLines as JsonLines
from actors_rs.observability.live import live_table as live_table
from actors_rs.observability.live import terminal_console as terminal_console
from actors_rs.observability.progress import progress_bar as progress_bar

__all__ = [
    "JsonLines",
    "live_table",
    "progress_bar",
    "terminal_console",
]
