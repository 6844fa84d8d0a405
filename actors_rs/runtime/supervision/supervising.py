"""The part of a system that concerns supervision: its top supervisors and their actors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.actors.actor_core import ActorCore
from actors_rs.runtime.actors.actor_ref import PooledActorRef
from actors_rs.runtime.settings import check_kind
from actors_rs.runtime.supervision.child_slots import ChildSlots, SystemWithTree
from actors_rs.runtime.supervision.child_spec import Supervisor
from actors_rs.runtime.supervision.supervisor import SupervisorActor
from actors_rs.runtime.supervision.supervisor_ref import RunLike, SupervisorRef
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.runtime.system.tree import Tree

__all__ = ["Supervising", "start_supervisor"]

A = TypeVar("A", bound=ActorCore)


class Supervised(SystemWithTree, Protocol):
    """A system, as the start of a supervisor sees it."""

    def adopt(self, actor: A) -> PooledActorRef[A]:
        """Start an actor that was constructed already."""
        ...


class Supervising:
    """A part of ``ActorSystem``. All methods may be called from any thread."""

    _tree: Tree

    def supervise(self, supervisor: Supervisor, *, under: RunLike | None = None) -> SupervisorRef:
        """Start a supervisor and its children; returns at once, with all their addresses.

        If ``supervisor`` gives up, this system ends with its ``RestartLimitError``. With ``under``,
        a run, that run ends instead, and the tree stops with the run. Raises
        ``InvalidArgumentError`` for anything but a ``Supervisor``.

        >>> class Greeter(PooledActor):
        ...     def on_receive(self, message):
        ...         return f"hello {message}"
        >>> with ActorSystem() as system:
        ...     tree = system.supervise(Supervisor(children=[ChildSpec(Greeter)], name="desk"))
        ...     system.actor("/desk/Greeter").ask("Ada")
        'hello Ada'
        """
        system: Any = self
        system._check_open()
        return start_supervisor(system, supervisor, under)

    def actor(self, path: str) -> PooledActorRef[Any]:
        """The actor at a path of names of supervisors and children, such as ``"/intake/store"``.

        The same reference for as long as the actor may live again. Raises ``InvalidArgumentError``,
        which names the nearest paths, if there is none. Actors without supervisor have no path.

        >>> class Store(PooledActor): ...
        >>> with ActorSystem() as system:
        ...     tree = system.supervise(Supervisor(children=[ChildSpec(Store)], name="intake"))
        ...     system.actor("/intake/Store") == tree.child("Store")
        True
        """
        return self._tree.find(path)


def start_supervisor(
    system: Supervised, supervisor: Supervisor, under: RunLike | None
) -> SupervisorRef:
    """Start ``supervisor`` at the top of the tree, or as a part of the run it is ``under``."""
    if not isinstance(supervisor, Supervisor):
        raise InvalidArgumentError(f"supervise needs a Supervisor, got {repr_of(supervisor)}")
    if under is not None:
        check_kind(under, "when_ended", "supervise: under must be a Run")
    child_slots = ChildSlots(supervisor, system, SupervisorActor)
    if under is not None:
        child_slots.escalate = under.abort
    system._tree.add_top(child_slots)
    ref = system.adopt(SupervisorActor(child_slots))
    assert isinstance(ref, SupervisorRef)
    if under is not None:
        under.when_ended(partial(ref.stop, block=False))
    return ref
