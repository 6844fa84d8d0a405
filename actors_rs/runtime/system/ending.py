"""What begins the end of a system: no more runs, runs drained or cancelled, actors asked to stop.

Nothing in here waits; ``Shutdown`` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.system.parts import Activity, Hurriable
from actors_rs.runtime.system.stopping import StopLine

if TYPE_CHECKING:
    from actors_rs.runtime._primitives import RLock
    from actors_rs.runtime.actors.actor_core import ActorCore
    from actors_rs.runtime.actors.contract import ActorBase
    from actors_rs.runtime.dead_letters.dead_letters import DeadLetters
    from actors_rs.runtime.system.guardian import Guardian

__all__ = ["Ending"]


class Ending:
    """A part of ``ActorSystem``. All methods may be called from any thread."""

    dead_letters: DeadLetters
    _lock: RLock
    _activities: Mapping[Activity, None]
    _stop_line: StopLine
    _shutdowns: Sequence[Hurriable]
    name: str
    _closed: bool
    _guardian: Guardian | None
    _draining = ""
    """Why it starts no further runs; empty if it does."""
    _orphaned = False
    """Whether this is a child of its process, where it is closed."""
    _fatal: BaseException | None = None
    _shutdown_limit = inf
    """Seconds that a shutdown takes at most, also if its ``timeout`` is longer."""

    def drain(self, why: str = "it is draining") -> None:
        """Start no further runs; present ones take no more in. Does not wait.

        So a ``put`` right after it may still be taken, and is then delivered.

        ``why`` is the reason that the error of a further ``start`` gives.

        >>> with ActorSystem() as system:
        ...     run = system.start(Source.repeat("x").to(Sink.count()))
        ...     system.drain(why="new version")
        ...     run.wait(timeout=5)
        True
        """
        self._draining = why
        observers = self._observers()
        for activity in self._living_activities():
            if activity not in observers:
                activity.drain()

    def fatal(self, error: BaseException) -> None:
        """No restart cures ``error``: stop this system, no other.

        A ``SystemExit`` or the like in an actor, or a supervisor with nobody above it that gives
        up. Runs end with the error, which is raised again where the ``with`` block ends.
        """
        with self._lock:
            self._fatal = error if self._fatal is None else self._fatal
        self._refuse_more()
        for activity in self._living_activities():
            activity.abort(error)
        self._tell_to_stop(self.children(), at_once=True)

    def stop_soon(self, within: float | None = None) -> None:
        """Start nothing more, cancel runs, tell actors to stop. Does not wait, nor end threads.

        A ``shutdown`` that is under way or follows waits for ``within`` seconds at most.
        """
        if self._orphaned:
            return
        self._refuse_more()
        for activity in self._living_activities():
            activity.cancel(within)
        self._tell_to_stop(self.children(), at_once=True)
        if within is not None:
            self._shutdown_limit = min(self._shutdown_limit, within)  # of those not listed yet
            for shutdown in tuple(self._shutdowns):
                shutdown.hurry(within)

    def _refuse_more(self) -> None:
        self._closed = True
        if self._guardian is not None:
            self._guardian.actor_stopped.set()

    def _check_open(self) -> None:
        if self._closed:
            over = "was shut down"
            if self._orphaned:
                over = "runs in the parent of this process: make a system after the fork"
            raise InvalidArgumentError(
                f"an actor needs a running system, '{self.name}' {over}"
            ) from self._fatal

    def children(self) -> tuple[ActorCore, ...]:
        """The living actors, in the order they were started."""
        raise NotImplementedError

    # For the phases of the shutdown, and for a child of this process

    def _living_activities(self) -> tuple[Activity, ...]:
        with self._lock:
            return tuple(self._activities)

    def _observers(self) -> tuple[Activity, ...]:
        """The activities that read the dead letters; they end after all others."""
        observed = self.dead_letters.observers()
        return tuple(a for a in self._living_activities() if any(a is one for one in observed))

    def _tell_to_stop(self, actors: Sequence[ActorBase], *, at_once: bool) -> None:
        """One after the other, the last one first; does not wait. See ``StopLine``."""
        self._stop_line.form(actors, at_once=at_once)
