"""Who waits for whom: what to show when nothing can run any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from actors_rs.graph.shell import StageActor
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.testing.world.steps import ActorStep

__all__ = ["states", "waits"]


def waits(actors: Sequence[ActorStep]) -> list[str]:
    """A sentence for each thing that a living actor waits for."""
    return [line for step in actors if not step.mailbox.closed for line in _waits_of(step)]


def states(actors: Sequence[ActorStep]) -> list[str]:
    """A line for each actor: whether it lives, what lies in its mailbox, and its ports."""
    return [f"{step.name}: {_state(step)}" for step in actors]


def _waits_of(step: ActorStep) -> Iterator[str]:
    actor = step.actor
    if not isinstance(actor, StageActor):
        yield f"'{step.name}' waits for a message"
        return
    for inlet in actor.logic.inlets:
        if not inlet.done and not inlet.cancelled:
            yield f"'{step.name}' waits for {_peer(inlet, '_upstream')}: {_inlet(inlet)}"
    for outlet in actor.logic.outlets:
        if not outlet.closed:
            yield f"'{step.name}' waits for {_peer(outlet, '_downstream')}: {_outlet(outlet)}"


def _state(step: ActorStep) -> str:
    actor, unread = step.actor, len(step.mailbox)
    life = "stopped" if step.mailbox.closed else "living"
    parts = [life] if not unread else [life, f"{unread} unread"]
    if isinstance(actor, StageActor):
        parts += [_inlet(inlet) for inlet in actor.logic.inlets]
        parts += [_outlet(outlet) for outlet in actor.logic.outlets]
        if actor.error is not None:
            parts.append(f"failed: {actor.error}")
    return ", ".join(parts)


def _inlet(inlet: Inlet) -> str:
    end = "ended" if inlet.done else "cancelled" if inlet.cancelled else ""
    asked = end or (f"{inlet.outstanding} requested" if inlet.opened else "nothing requested yet")
    return f"{inlet.name} took {inlet.count}, holds {inlet.buffered}, {asked}"


def _outlet(outlet: Outlet) -> str:
    end = "cancelled" if outlet.cancelled else "ended" if outlet.closed else ""
    return f"{outlet.name} gave {outlet.count}, {end or f'demand {outlet.demand}'}"


def _peer(port: Inlet | Outlet, side: str) -> str:
    """The actor at the other end of the port's link, as far as it is one of ours."""
    line: Any = getattr(port, side)
    for inner in ("_up", "_down"):  # under a monitor
        line = getattr(line, inner, line)
    if line is None:
        return "a peer that never came"
    mailbox = getattr(line, "_mailbox", None)
    if mailbox is None:
        return "its foreign peer"
    step = getattr(getattr(mailbox, "owner", None), "_world_step", None)
    return "a stage that has ended" if step is None else f"'{step.name}'"
