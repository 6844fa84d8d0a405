"""The page's panels beside the runs: a stage opened, the supervision tree, the dead letters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from actors_rs.engine.run.adjusting import adjustable
from actors_rs.errors import CallTimeout
from actors_rs.runtime.system.statistics import actor_statistics
from actors_rs.texts import class_name_of, repr_of, short_repr_of, text_of

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage
    from actors_rs.runtime.supervision.supervised import SlotOwner
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["dead_letters_of", "error_text", "stage_details", "tree_of"]

MOST_ERRORS, MOST_LETTERS, MOST_ACTORS = 10, 200, 500


def stage_details(stage: RunningStage, show_elements: bool) -> dict[str, Any]:
    """The contents of the panel of ``stage``. Any thread."""
    logic, policy = stage.logic, stage.logic.on_failure
    decider = policy.decider
    errors = [error_text(stage.error, show_elements)] if stage.error is not None else []
    letters = stage.system.dead_letters.recent()
    where = text_of(stage)
    own = [letter for letter in reversed(letters) if letter.where == where and letter.error]
    for letter in own[:MOST_ERRORS]:
        assert letter.error is not None
        errors.append(error_text(letter.error, show_elements))
    settings: dict[str, Any] = {
        "window": max((inlet.window for inlet in tuple(logic.inlets)), default=None),
        "dispatcher": getattr(stage.island, "dispatcher", "pool"),
        "logic": class_name_of(logic),
        **adjustable(stage),
    }
    return {
        "name": stage.name,
        "kind": stage.kind,
        "site": stage.site.strip(" ,"),
        "policy": policy.policy if decider is None else f"decided by {repr_of(decider)}",
        "settings": {name: value for name, value in settings.items() if value is not None},
        "figures": _plain(logic.details()),
        "errors": errors,
    }


def error_text(error: BaseException, show_elements: bool) -> str:
    """The class and the message of ``error`` and of its causes, without a quoted element."""
    lines: list[str] = []
    one: BaseException | None = error
    while one is not None and len(lines) < 5:
        text = text_of(one, 500)
        if isinstance(one, CallTimeout) and not show_elements:
            text = f"a call took longer than {one.seconds:g} s"
        lines.append(f"{class_name_of(one)}: {text}" if text else class_name_of(one))
        one = one.__cause__
    return "\n".join(lines)


def dead_letters_of(system: ActorSystem, show_elements: bool) -> dict[str, Any]:
    """The newest dead letters first, and how many there were in all."""
    kept = system.dead_letters.recent()
    return {
        "total": system.dead_letters.total,
        "letters": [
            {
                "number": letter.number,
                "at": letter.when,
                "where": letter.where,
                "why": letter.why,
                "what": short_repr_of(letter.what) if show_elements else class_name_of(letter.what),
                "error": "" if letter.error is None else error_text(letter.error, show_elements),
            }
            for letter in reversed(kept[-MOST_LETTERS:])
        ],
    }


def tree_of(system: ActorSystem) -> list[dict[str, Any]]:
    """Supervisors with their children, then actors without a supervisor; stages are not among them.

    Each has its depth in the tree.
    """
    from actors_rs.engine.island import Island

    rows: list[dict[str, Any]] = []
    for top in system._tree._living():
        rows.append(_row(top.path, 0, top.ref, None, top))
        _add_children(rows, top, 1)
    for actor in system.children():
        if len(rows) >= MOST_ACTORS:
            break
        if (
            not isinstance(actor, Island)
            and not actor._has_slot_
            and actor._supervisor_link_ is None
        ):
            known = actor_statistics(actor)
            unread = known.mailbox.control + known.mailbox.data
            child_slots = getattr(actor, "child_slots", None)
            if child_slots is None:
                rows.append(_line(known.name, 0, known.state, unread, 0, ""))
    return rows[:MOST_ACTORS]


def _add_children(rows: list[dict[str, Any]], child_slots: SlotOwner, depth: int) -> None:
    for name, ref in child_slots.refs().items():
        if len(rows) >= MOST_ACTORS:
            return
        child = child_slots.child_of(name)
        rows.append(_row(name, depth, ref, child, child.child_slots))
        if child.child_slots is not None:
            _add_children(rows, child.child_slots, depth + 1)


def _row(
    name: str, depth: int, ref: Any, child: Any, child_slots: SlotOwner | None
) -> dict[str, Any]:
    mailbox = ref.actor_inbox.statistics()
    state = "running" if child is None else child.state.name.lower()
    restarts = 0 if child is None else child.restarts
    strategy = "" if child_slots is None else class_name_of(child_slots.strategy)
    return _line(name, depth, state, mailbox.control + mailbox.data, restarts, strategy)


def _line(
    name: str, depth: int, state: str, mailbox: int, restarts: int, strategy: str
) -> dict[str, Any]:
    return {
        "name": name,
        "depth": depth,
        "state": state,
        "mailbox": mailbox,
        "restarts": restarts,
        "strategy": strategy,
    }


def _plain(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {
        text_of(name): value if isinstance(value, int | float | bool) else text_of(value, 200)
        for name, value in figures.items()
        if value is not None
    }
