"""What happens to the process happens to its systems: its exit, and a fork.

At exit, systems that nobody shut down are cancelled within ``AT_EXIT_SECONDS``: files are left
complete or not at all, actors run ``on_stop``. In a forked child, where the threads of the systems
do not exist, the systems have ended; starting something there is refused, and waits for nothing.
"""

from __future__ import annotations

import atexit
from typing import Any
from weakref import WeakKeyDictionary

from actors_rs.runtime._primitives import Lock, RLock, after_fork_in_child, monotonic
from actors_rs.runtime.supervision.supervisor import SupervisorActor
from actors_rs.runtime.system.parts import SystemParts

__all__ = ["enrol", "enrolled"]

AT_EXIT_SECONDS = 0.5
"""How long the exit of the process waits for systems that were not shut down, all together."""
_lock = Lock()
_systems: WeakKeyDictionary[SystemParts, None] = WeakKeyDictionary()  # in the order they began


def enrol(system: SystemParts) -> None:
    """End ``system`` with the process, and disown it in forked children."""
    with _lock:
        _systems[system] = None


def enrolled() -> list[SystemParts]:
    """The systems of this process that are still referenced, including ended ones."""
    with _lock:
        return list(_systems)


def _end_all() -> None:
    deadline = monotonic() + AT_EXIT_SECONDS
    for system in enrolled():
        if system.is_open:
            system.shutdown(drain=False, timeout=max(0.0, deadline - monotonic()))


def _disown_all() -> None:
    global _lock
    _lock = Lock()
    for system in list(_systems):
        _disown(system)
    _systems.clear()


def _disown(system: SystemParts) -> None:
    """The threads of ``system`` are in the parent, and may have held any of its locks."""
    system._orphaned = system._closed = True
    system._lock, system._emptied = RLock(), None
    guardians = () if system._guardian is None else (system._guardian,)
    for actor in (*guardians, *system._actors.values()):
        flag: Any = actor.actor_stopped  # pykka says it is an Event
        flag.mark()  # so that nobody waits for them here
        if isinstance(actor, SupervisorActor):
            actor.child_slots.disown()  # also children that do not live at this moment
    for activity in tuple(system._activities):
        activity.disown()
    system.dead_letters.disown()
    system.processes.disown()


atexit.register(_end_all)
after_fork_in_child(_disown_all)
