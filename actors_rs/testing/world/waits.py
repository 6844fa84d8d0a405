"""Which actor waits for which: the report when nothing can run any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from actors_rs.engine.island import Island
from actors_rs.engine.links import member_behind
from actors_rs.engine.member import Member
from actors_rs.engine.watching.stall import Wait, knots
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.testing.world.steps import ActorStep
from actors_rs.texts import named, repr_of, text_of

__all__ = ["failures", "states", "waits"]

OUTSIDE: Final = {
    "from_future": "its future",
    "map_async": "a call that has not ended",
    "map_processes": "a call that has not ended",
    "flat_map_processes": "a call that has not ended",
    "never": "nobody: it never gives anything",
    "queue": "somebody to offer it an element",
}
"""The event outside of streams that a stage waits for, by its kind."""


class _Wait(NamedTuple):
    """``who`` waits for ``whom``, an actor, or for something else if that is empty."""

    who: str
    whom: str
    said: str


def waits(actors: Sequence[ActorStep]) -> list[str]:
    """A sentence for each thing that a living actor waits for, and for each that waits for none.

    Actors that wait for each other in a circle come first.
    """
    found = [wait for step in actors if not step.mailbox.closed for wait in _waits_of(step)]
    circles = knots([Wait(one.who, one.whom, "") for one in found if one.whom])
    tied = {name for circle in circles for name in circle}
    found.sort(key=lambda wait: not (wait.who in tied and wait.whom in tied))
    heads = [f"{', '.join(map(repr_of, circle))} wait for each other" for circle in circles]
    return [*heads, *(wait.said for wait in found)]


def failures(actors: Sequence[ActorStep]) -> list[str]:
    """A sentence for each failed actor that is no stage: no run reports its failure."""
    return [f"'{step.name}': {_state(step)}" for step in actors if step.error is not None]


def states(actors: Sequence[ActorStep]) -> list[str]:
    """A line for each actor: whether it lives, the messages in its mailbox, and its ports."""
    return [f"{step.name}: {_state(step)}" for step in actors]


def _waits_of(step: ActorStep) -> list[_Wait]:
    actor, name = step.actor, step.name
    if (pending := actor._pending_) is not None:
        return [_Wait(name, "", f"'{name}' waits for a coroutine in {pending.place}")]
    if unread := len(step.mailbox):
        return [_Wait(name, "", f"'{name}' waits for its turn: {unread} unread")]
    if not isinstance(actor, Island):
        return [_Wait(name, "", f"'{name}' waits for a message")]
    living = [stage for stage in actor.members() if not stage.ended]
    found = [wait for stage in living for wait in _waits_at_ports(name, stage)]
    return found or [_waits_for_none(name, stage) for stage in living]


def _waits_at_ports(name: str, stage: Member) -> Iterator[_Wait]:
    """An inlet waits for what it has asked for, an outlet for being asked."""
    logic = stage.logic
    for inlet in logic.inlets:
        if not inlet.closed and not inlet.buffered and inlet.outstanding:
            whom, peer = _peer(stage, inlet._upstream)
            yield _Wait(name, whom, f"'{name}' waits for {peer} to give: {_inlet(inlet)}")
    for outlet in logic.outlets:
        if not outlet.closed and not outlet.demand:
            whom, peer = _peer(stage, outlet._downstream)
            yield _Wait(name, whom, f"'{name}' waits for {peer} to ask: {_outlet(outlet)}")


def _waits_for_none(name: str, stage: Member) -> _Wait:
    """No peer could do anything for it: it waits for what is beside the streams, or is at fault."""
    logic = stage.logic
    ports = ", ".join([*map(_inlet, logic.inlets), *map(_outlet, logic.outlets)])
    are_over = [inlet.closed for inlet in logic.inlets] + [out.closed for out in logic.outlets]
    if all(are_over):
        text = f"'{name}' lives although all of its ports are over"
    elif stage.kind in OUTSIDE:
        text = f"'{name}' waits for {OUTSIDE[stage.kind]}"
    elif not logic.inlets or any(inlet.buffered for inlet in logic.inlets):
        text = f"'{name}' waits for something outside of the streams"
    else:
        text = f"'{name}' waits for nobody and asks for nothing"
    return _Wait(name, "", f"{text}: {ports}")


def _state(step: ActorStep) -> str:
    actor, unread = step.actor, len(step.mailbox)
    scope = "stopped" if step.mailbox.closed else "living"
    parts = [scope] if not unread else [scope, f"{unread} unread"]
    if isinstance(actor, Island):
        for stage in actor.members():
            parts += [_inlet(inlet) for inlet in stage.logic.inlets]
            parts += [_outlet(outlet) for outlet in stage.logic.outlets]
            if stage.error is not None:
                parts.append(f"failed: {text_of(stage.error)}")
    elif step.error is not None:
        parts.append(f"failed: {named(step.error)}")
    return ", ".join(parts)


def _inlet(inlet: Inlet) -> str:
    end = "ended" if inlet.done else "cancelled" if inlet.cancelled else ""
    asked = end or (f"{inlet.outstanding} requested" if inlet.opened else "nothing requested yet")
    return f"{inlet.name} took {inlet.count}, holds {inlet.buffered}, {asked}"


def _outlet(outlet: Outlet) -> str:
    end = "cancelled" if outlet.cancelled else "ended" if outlet.closed else ""
    return f"{outlet.name} gave {outlet.count}, {end or f'demand {outlet.demand}'}"


def _peer(stage: Member, line: Any) -> tuple[str, str]:
    """The actor at the other end of a link, and what to say of it; of other peers only that."""
    if line is None:
        return "", "a peer that never came"
    peer = member_behind(line)
    if peer is None:
        return "", "its foreign peer"
    if peer.island is stage.island:
        return "", "a stream within it"
    step = getattr(peer.island, "_world_step_", None)
    return ("", "a stage that has ended") if step is None else (step.name, f"'{step.name}'")
