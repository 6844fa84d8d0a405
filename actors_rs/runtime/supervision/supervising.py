"""What a system has to do with supervision: its top supervisors, and the actors below them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from actors_rs.runtime.actors.actor_ref import PooledActorRef
    from actors_rs.runtime.supervision.child_spec import Supervisor
    from actors_rs.runtime.supervision.supervisor_ref import RunLike, SupervisorRef
    from actors_rs.runtime.system.tree import Tree

__all__ = ["Supervising"]


class Supervising:
    """A part of ``ActorSystem``. All methods may be called from any thread."""

    _tree: Tree

    def supervise(self, supervisor: Supervisor, *, under: RunLike | None = None) -> SupervisorRef:
        """Start a supervisor and its children; returns at once, with all their addresses.

        When it gives up, this system ends with its ``RestartLimitError``; ``under`` a run, that
        run does, and the tree stops with the run.
        """
        from actors_rs.runtime.supervision.supervisor_ref import start_supervisor

        system: Any = self
        system._check_open()
        return start_supervisor(system, supervisor, under)

    def actor(self, path: str) -> PooledActorRef[Any]:
        """The actor at a path of names of supervisors and children, as ``"/intake/store"``.

        The same reference for as long as the actor may live again. Raises ``InvalidArgumentError``,
        which names the nearest paths, if there is none. Actors without supervisor have no path.
        """
        return self._tree.find(path)
