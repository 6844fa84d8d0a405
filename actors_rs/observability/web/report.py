"""A run as one HTML file that needs no server: the page with the state written into it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from actors_rs.engine.run.snapshot import LinkSnapshot, RunSnapshot, StageSnapshot
from actors_rs.errors import InvalidArgumentError
from actors_rs.observability.web.details import dead_letters_of, tree_of
from actors_rs.observability.web.state import run_state
from actors_rs.observability.web.static import SCRIPTS, static_text
from actors_rs.texts import text_of

if TYPE_CHECKING:
    from actors_rs.observability.web.watching import Watch, WatchedRun

__all__ = ["ADDRESS", "report_html", "report_of_json", "report_of_run"]

FORMAT = "actors-rs run 1"
ADDRESS = "/api/runs/1/report.json"
"""Of the report of run 1, on the page."""


def report_of_run(run: WatchedRun, watch: Watch) -> dict[str, Any]:
    """All that the page shows of ``run``, fit for JSON."""
    stages = {}
    for stage in run.state["stages"]:
        try:
            stages[stage["name"]] = run.details(stage["name"])
        except InvalidArgumentError:  # of an inner stream, and has ended
            continue
    state = {k: v for k, v in run.state.items() if k != "layout"}
    return {
        "format": FORMAT,
        "run": state,
        "layout": run.state["layout"],
        "points": list(run.points),
        "log": list(run.log),
        "letters": dead_letters_of(watch.system, watch.show_elements),
        "tree": tree_of(watch.system),
        "stages": stages,
    }


def report_of_json(text: str) -> dict[str, Any]:
    """What ``report_html`` needs, from a file that the page saved or ``RunSnapshot.as_dict`` made.

    Raises ``InvalidArgumentError`` for another file.
    """
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InvalidArgumentError(
            f"expected a run as JSON, which the page gives at {ADDRESS}; this is no JSON: "
            f"{text_of(error)}"
        ) from None
    if isinstance(found, dict) and found.get("format") == FORMAT:
        return found
    try:
        state = run_state(_snapshot(found))
    except (TypeError, KeyError, AttributeError):
        raise InvalidArgumentError(
            f"expected a run as JSON, which the page gives at {ADDRESS} and "
            "json.dumps(run.snapshot().as_dict()) gives; got another file"
        ) from None
    layout = state.pop("layout")
    return {"format": FORMAT, "run": state, "layout": layout, "points": [], "log": []}


def _snapshot(found: Mapping[str, Any]) -> RunSnapshot:
    stages = tuple(StageSnapshot(**one) for one in found["stages"])
    links = tuple(LinkSnapshot(**one) for one in found["links"])
    known = {name: found[name] for name in ("name", "state", "seconds", "draining")}
    limit = found.get("memory_limit")
    return RunSnapshot(**known, stages=stages, links=links, memory_limit=limit)


def report_html(report: Mapping[str, Any]) -> str:
    """The page with ``report`` in it, as one file."""
    page = static_text("index.html")
    style = f"<style>\n{static_text('page.css')}</style>"
    page = page.replace('<link rel="stylesheet" href="static/page.css">', style)
    page = page.replace('<link rel="icon" href="static/icon.svg">', "")
    # "<" as an escape: no text of the run can end the element, or begin another one.
    data = json.dumps(report, separators=(",", ":")).replace("<", "\\u003c")
    scripts = [f'<script type="application/json" id="report">{data}</script>']
    scripts += [f"<script>\n{static_text(name)}</script>" for name in SCRIPTS]
    for name in SCRIPTS:
        page = page.replace(f'<script src="static/{name}" defer></script>\n', "")
    return page.replace("</body>", "\n".join([*scripts, "</body>"]))
