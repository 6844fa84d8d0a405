"""Takes a world apart: it is full of cycles, and an exploration leaves thousands of them."""

from __future__ import annotations

from actors_rs.engine.island import Island
from actors_rs.testing.world.dispatcher import DeterministicDispatcher
from actors_rs.testing.world.system import WorldSystem

__all__ = ["take_apart"]


def take_apart(dispatcher: DeterministicDispatcher, system: WorldSystem) -> None:
    """Clear all that refers to each other, so that nothing is left for the garbage collector."""
    for step in dispatcher.actors:
        for member in step.actor.members() if isinstance(step.actor, Island) else ():
            for inlet in member.logic.inlets:  # from which one comes, through its outlet, back
                inlet._upstream = None
            vars(member.logic).clear()
            vars(member).clear()
        vars(step.actor).clear()
    for letter in system.dead_letters.recent():
        _forget_frames(letter.error)
    for scope in system.scopes:
        for failure in scope.failures:
            _forget_frames(failure)
        vars(scope.run).clear()
        vars(scope).clear()
    for whole in (system, dispatcher.log, dispatcher):
        vars(whole).clear()


def _forget_frames(error: BaseException | None) -> None:
    """One that each run raises anew would keep the frames of all of them."""
    while error is not None and error.__traceback__ is not None:
        BaseException.with_traceback(error, None)
        error = error.__context__ if error.__cause__ is None else error.__cause__
