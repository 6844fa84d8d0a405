"""The actions of the page's buttons. Each action is written to the run's log."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from actors_rs.engine.run import adjusting
from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.settings import is_number
from actors_rs.texts import one_of, repr_of

if TYPE_CHECKING:
    from actors_rs.engine.run.scope import RunScope
    from actors_rs.observability.web.watching import WatchedRun

__all__ = ["ACTIONS", "act"]

ACTIONS = ("drain", "cancel", "pause", "resume", "rate", "parallelism")
logger = logging.getLogger("actors_rs.web")


def act(run: WatchedRun, action: str, order: Mapping[str, Any]) -> None:
    """Do ``action`` to ``run``; ``order`` has the ``stage`` and the ``value`` where there is one.

    Returns at once. Raises ``InvalidArgumentError``, and changes nothing, for what cannot be done.
    """
    if run.scope is None:
        raise InvalidArgumentError(f"run {repr_of(run.name)} has ended: nothing of it can change")
    stage, value = order.get("stage", ""), order.get("value")
    if not isinstance(stage, str):
        raise InvalidArgumentError(f"stage: expected a name, got {repr_of(stage)}")
    _do(run.scope, action, stage, value)
    text = "" if value is None else f"to {value:g}"
    run.note(action, stage, text)
    of_stage = f" of stage {repr_of(stage)}" if stage else ""
    logger.warning(
        "run %s: %s%s%s, asked for on the page",
        repr_of(run.name),
        action,
        of_stage,
        text and f" {text}",
        extra={"event": action, "run": run.name, "stage": stage, "value": value},
    )


def _do(scope: RunScope, action: str, stage: str, value: Any) -> None:
    match action:
        case "drain":
            scope.run.drain()
        case "cancel":
            scope.run.cancel()
        case "pause" | "resume":
            adjusting.pause(scope, stage, action == "pause")
        case "rate":
            if not is_number(value):
                raise InvalidArgumentError(f"rate: expected a number, got {repr_of(value)}")
            adjusting.set_rate(scope, stage, value)
        case "parallelism":
            adjusting.set_parallelism(scope, stage, value)
        case _:
            raise InvalidArgumentError(f"expected an action, {one_of(ACTIONS, action)}")
