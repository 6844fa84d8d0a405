"""Who may live in a system: its own kind of actors, refused in one sentence if they are none."""

from __future__ import annotations

from typing import Any

from pykka import Actor

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.runtime.actors.actor_core import ActorCore
from actors_rs.texts import class_name_of, repr_of, text_of

__all__ = ["check_actor", "check_actor_class", "check_dispatcher"]

DISPATCHERS = ("pool", "pinned", "calling_thread")


def check_actor_class(what: str, made: Any) -> None:
    """Raise ``ArgumentTypeError`` unless ``made``, an argument of ``what``, is an actor class."""
    if isinstance(made, type) and issubclass(made, ActorCore):
        return
    hint = ""
    if isinstance(made, ActorCore):
        hint = ": adopt(actor) starts an actor that you have made"
    elif isinstance(made, type) and issubclass(made, Actor):
        hint = ", which is pykka's own kind: derive it from PooledActor"
    raise ArgumentTypeError(f"{what} needs a PooledActor class, got {repr_of(made)}{hint}")


def check_actor(actor: Any) -> None:
    """Raise unless ``actor`` was made, by the constructor that all have, and not yet started."""
    if not isinstance(actor, ActorCore):
        hint = ": spawn(ActorClass) makes one of a class" if isinstance(actor, type) else ""
        raise ArgumentTypeError(f"adopt needs a PooledActor, got {repr_of(actor)}{hint}")
    if getattr(actor, "_ref_", None) is None:
        kind = class_name_of(actor)
        raise InvalidArgumentError(f"{kind}.__init__ must call super().__init__(), it did not")
    if actor._system_ is not None:
        raise InvalidArgumentError(
            f"adopt starts an actor once, and {text_of(actor)} was started in "
            f"'{actor._system_.name}'"
        )


def check_dispatcher(name: Any) -> None:
    """Raise ``InvalidArgumentError`` unless ``name`` names a dispatcher."""
    if name not in DISPATCHERS:
        raise InvalidArgumentError(
            f"dispatcher must be 'pool', 'pinned' or 'calling_thread', got {repr_of(name)}: an "
            "actor that keeps something else in an attribute of this name must rename it"
        )
