"""Writes ``docs/events.md`` from the events as data: ``python -m tests.pages.events``."""

from __future__ import annotations

from pathlib import Path

from actors_rs.runtime.eventing.kinds import EVENTS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "events.md"

HEAD = """\
# Events in the log

Made from `actors_rs/runtime/eventing` by `python -m tests.pages.events`: change the data, not
this page.

Each event is one line of the logger `actors_rs.events`, and a call of each listener of
`system.events.listen(listener)`. The level is `INFO`, and `WARNING` for `partition_retried`.
`actors-rs run --log-json` writes lines as JSON; in a program,
`actors_rs.observability.JsonLines` is a formatter for `logging` that does the same.

`run.result()` raises what a run has failed with, and `actors_rs.dead_letters` logs elements that
failed as warnings: these need no events.

Every line has the fields `event`, `system`, `run` (the name of the run), `run_id` (which counts the
runs of a system), `stage` and `partition`. If `stage` or `partition` does not apply, it is `None`,
`null` in JSON. `error` is the exception, as text in JSON, and `error_type` is its class.
`actor_restarted` belongs to no run: `run` is empty and `run_id` is 0.
Events of elements come at most once a second for each stage; `count` is the number of elements that
the line stands for.

| event | when | further fields |
|---|---|---|
"""


def page() -> str:
    """The whole page."""
    rows = [
        f"| `{name}` | {kind.when} | {', '.join(f'`{one}`' for one in kind.fields)} |\n"
        for name, kind in EVENTS.items()
    ]
    return HEAD + "".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page())
