"""Watching runs: tables, bars, log lines, metrics, traces, and a page in the browser.

Begin with ``table.py``, which makes rows of snapshots, and ``live.py``, which shows them in a
terminal. ``series.py`` and ``metrics.py`` make metrics of snapshots, for ``prometheus.py`` and
``opentelemetry``. ``web`` is the page. The figures come from ``engine/run/observing.py``: change a
wrong figure there. May import ``language`` and below.
"""

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
