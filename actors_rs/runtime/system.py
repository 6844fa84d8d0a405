"""``ActorSystem``: owns the threads, the clock, the dead letters and the actors that use them.

A system is a context manager; when it has been left, no thread of its own is alive. It knows
nothing of streams: what it starts and stops is anything that keeps ``Startable`` and
``Activity``.
"""

from __future__ import annotations

import contextvars
import logging
from types import TracebackType
from typing import Any, Literal, Protocol, Self, TypeVar

from pykka import ActorRef, ActorRegistry

from actors_rs.errors import BlockingError, InvalidArgumentError
from actors_rs.runtime._primitives import Condition, Lock, may_block
from actors_rs.runtime.actor import PooledActor
from actors_rs.runtime.dead_letters import DeadLetters
from actors_rs.runtime.dispatcher import Dispatcher, DispatcherStatistics
from actors_rs.runtime.dispatchers.calling_thread import CallingThreadDispatcher
from actors_rs.runtime.dispatchers.pinned import PinnedDispatcher
from actors_rs.runtime.guardian import Guardian
from actors_rs.runtime.machinery import Machinery, threads

__all__ = ["Activity", "ActorSystem", "Startable", "spawn_in_current_system"]

A = TypeVar("A", bound=PooledActor)
R_co = TypeVar("R_co", covariant=True)
logger = logging.getLogger("actors_rs.runtime")


class Activity(Protocol):
    """What runs in a system and has to end before it: a run of a graph."""

    def drain(self) -> None:
        """Take no more, deliver what is in hand. Does not wait."""

    def cancel(self) -> None:
        """Stop now. Does not wait."""

    def wait(self, timeout: float) -> bool:
        """Whether it ended within ``timeout`` seconds."""


class _Closeable(Protocol):
    def close(self, timeout: float) -> tuple[str, ...]: ...


class Startable(Protocol[R_co]):
    """What a system can start: a blueprint."""

    def start_on(self, system: ActorSystem, /) -> R_co:
        """Start in ``system``."""
        ...


class AsPublisher(Protocol[R_co]):
    """What can be a standard Publisher: a source."""

    def publisher_on(self, system: ActorSystem, /) -> R_co:
        """The Publisher, on ``system``."""
        ...


class AsSubscriber(Protocol[R_co]):
    """What can be a standard Subscriber: a sink."""

    def subscriber_on(self, system: ActorSystem, /) -> R_co:
        """The Subscriber, on ``system``."""
        ...


class AsProcessor(Protocol[R_co]):
    """What can be a standard Processor: a flow."""

    def processor_on(self, system: ActorSystem, /) -> R_co:
        """The Processor, on ``system``."""
        ...


class ActorSystem:
    """A pool of threads and the actors that share it. All methods may be called from any thread.

    ``workers`` is the pool's size at rest (default: one per core), ``max_workers`` its cap when
    user code blocks, ``window`` the number of elements an inlet keeps requested unless the graph
    says otherwise, ``metrics`` whether stages account for their time. With ``monitor`` the rules
    of the standard are watched on every link between two stages, or from a stage to a foreign
    subscriber, and the first violation ends its run with a ``ProtocolViolation``. ``machinery``
    replaces threads and clocks altogether: a deterministic world passes its own.
    """

    def __init__(
        self,
        *,
        workers: int | None = None,
        max_workers: int = 256,
        window: int = 4096,
        metrics: bool = True,
        monitor: bool = False,
        dispatcher: Literal["pool", "calling_thread"] = "pool",
        name: str = "actors",
        shutdown_timeout: float = 30.0,
        machinery: Machinery | None = None,
    ) -> None:
        if window < 1:
            raise InvalidArgumentError(f"window must be at least 1, got {window}")
        if dispatcher not in ("pool", "calling_thread"):
            raise InvalidArgumentError(
                f"dispatcher must be 'pool' or 'calling_thread', got {dispatcher!r}"
            )
        self.name = name
        self.window = window
        self.metrics = metrics
        self.monitor = monitor
        self._calling_thread = CallingThreadDispatcher()  # one for all: several would nest
        self._machinery = machinery or threads(
            name,
            workers=workers,
            cap=max_workers,
            dispatcher=self._calling_thread if dispatcher == "calling_thread" else None,
        )
        self._take(self._machinery)
        self.shutdown_timeout = shutdown_timeout
        self._lock = Lock()
        self._emptied = Condition()  # notified when the last actor has stopped
        # Entered and left without a lock: single dict operations are atomic, and a lock here
        # would be a queue of all actors that start or stop.
        self._actors: dict[int, PooledActor] = {}  # by number: a user's __eq__ has no say
        self._pinned: list[PinnedDispatcher] = []  # of stopped actors too, until the thread ended
        self._activities: dict[Activity, None] = {}
        self._closed = False
        self._fatal: BaseException | None = None
        self._tokens: list[contextvars.Token[ActorSystem | None]] = []
        self._guardian = Guardian(self)
        ActorRegistry.register(self._guardian.actor_ref)

    def _take(self, machinery: Machinery) -> None:
        self._dispatcher = machinery.dispatcher
        self.timers = machinery.timers
        self.blocking = machinery.blocking
        self.event_loop = machinery.event_loop
        self.now = machinery.now
        """The monotonic seconds that delays are counted in."""
        self.stopwatch = machinery.stopwatch
        """The seconds that turns and user code are timed by."""
        self.dead_letters = DeadLetters(now=machinery.now, wall_clock=machinery.wall_clock)

    def __enter__(self) -> Self:
        self._tokens.append(_current.set(self))
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _current.reset(self._tokens.pop())
        self.shutdown(drain=error is None)
        if self._fatal is not None:
            if error is not None:
                logger.error("the block of '%s' raised as well:", self.name, exc_info=error)
            raise self._fatal

    def __repr__(self) -> str:
        return f"<ActorSystem {self.name!r}: {len(self._actors)} actors>"

    def start(self, graph: Startable[R_co]) -> R_co:
        """Start a graph; returns its ``Run``. Raises ``InvalidArgumentError`` after shutdown."""
        self._check_open()
        return graph.start_on(self)

    def publisher(self, source: AsPublisher[R_co]) -> R_co:
        """``source`` as a standard Publisher: each subscriber gets a run of its own."""
        self._check_open()
        return source.publisher_on(self)

    def subscriber(self, sink: AsSubscriber[R_co]) -> R_co:
        """``sink`` as a standard Subscriber; its ``run`` tells what came of it."""
        self._check_open()
        return sink.subscriber_on(self)

    def processor(self, flow: AsProcessor[R_co]) -> R_co:
        """``flow`` as a standard Processor, for one publisher and any number of subscribers."""
        self._check_open()
        return flow.processor_on(self)

    def spawn(self, actor_class: type[A], *args: Any, **kwargs: Any) -> ActorRef[A]:
        """Start an actor here; the arguments go to its constructor."""
        self._check_open()
        return self.adopt(actor_class(*args, **kwargs))

    def adopt(self, actor: A) -> ActorRef[A]:
        """Start an actor that was constructed already."""
        if getattr(actor, "_actor_ref", None) is None:
            kind = type(actor).__name__
            raise InvalidArgumentError(f"{kind}.__init__ must call super().__init__(), it did not")
        actor._system = self
        self._actors[actor._urn_number] = actor
        try:
            self._check_open()  # after the entry: shutdown closes before it looks at entries
            actor._start_actor_loop()
        except BaseException:
            self.forget(actor)
            raise
        return actor.actor_ref

    def forget(self, actor: PooledActor) -> None:
        """An actor has stopped; called by the actor itself, in its last turn."""
        self._actors.pop(actor._urn_number, None)
        own = getattr(actor, "_dispatcher", None)  # none if it was refused at the door
        if isinstance(own, PinnedDispatcher):
            own.close(0)
        if not self._actors:
            with self._emptied:
                self._emptied.notify_all()

    def register(self, activity: Activity) -> None:
        """Let shutdown end ``activity`` too, until ``unregister``."""
        with self._lock:
            self._activities[activity] = None

    def unregister(self, activity: Activity) -> None:
        """``activity`` has ended."""
        with self._lock:
            self._activities.pop(activity, None)

    def children(self) -> tuple[PooledActor, ...]:
        """The living actors, in the order they were started."""
        return tuple(self._actors.copy().values())

    def context(self) -> contextvars.Context:
        """A copy of the context to run an actor's code in: that of the thread that starts it.

        In it this system is the current one, so the actors that an actor starts live here too.
        """
        context = contextvars.copy_context()
        if context.get(_current) is not self:
            context.run(_current.set, self)
        return context

    def dispatcher_for(self, actor: PooledActor) -> Dispatcher:
        """The dispatcher that ``actor`` asks for by name; a pinned one is made for it."""
        name = actor.dispatcher
        if name == "pool" or self._machinery.serves_all:
            return self._dispatcher
        if name == "calling_thread":
            return self._calling_thread
        if name != "pinned":
            raise InvalidArgumentError(
                f"dispatcher must be 'pool', 'pinned' or 'calling_thread', got {name!r}"
            )
        pinned = PinnedDispatcher(f"{self.name}-pinned-{type(actor).__name__}")
        with self._lock:
            self._pinned = [old for old in self._pinned if old.statistics().workers]
            self._pinned.append(pinned)
        return pinned

    def statistics(self) -> DispatcherStatistics:
        """The pool at this moment."""
        return self._dispatcher.statistics()

    def fatal(self, error: BaseException) -> None:
        """A ``SystemExit`` or the like was raised in an actor: stop this system, no other.

        The error is raised again where the ``with`` block of the system ends.
        """
        with self._lock:
            self._fatal = self._fatal or error
        self.stop_soon()

    def stop_soon(self) -> None:
        """Start nothing more, cancel runs, tell actors to stop. Does not wait, nor end threads."""
        self._refuse_more()
        self._cancel_activities()
        self._tell_all_to_stop()

    def shutdown(self, *, drain: bool = True, timeout: float | None = None) -> None:
        """End everything: runs (drained or cancelled), actors in reverse order, threads.

        Waits at most ``timeout`` seconds (default: the system's ``shutdown_timeout``); what has
        not stopped by then is named in one log line and left behind on daemon threads. May be
        called again; raises ``BlockingError`` on a thread of the pool.
        """
        if not may_block():
            raise BlockingError("a pool thread must not wait for the shutdown of its own system")
        deadline = self.now() + (self.shutdown_timeout if timeout is None else timeout)
        late = self._end_activities(drain, deadline)
        self._refuse_more()
        late += self._stop_actors(deadline)
        late += self._close_threads(deadline)
        ActorRegistry.unregister(self._guardian.actor_ref)
        if late:
            logger.error("shutdown of '%s': still busy: %s", self.name, ", ".join(late))

    def _refuse_more(self) -> None:
        self._closed = True
        self._guardian.actor_stopped.set()

    def _check_open(self) -> None:
        if self._closed:
            raise InvalidArgumentError(
                f"an actor needs a running system, '{self.name}' was shut down"
            ) from self._fatal

    def _cancel_activities(self) -> None:
        with self._lock:
            activities = tuple(self._activities)
        for activity in activities:
            activity.cancel()

    def _end_activities(self, drain: bool, deadline: float) -> list[str]:
        with self._lock:
            activities = tuple(self._activities)
        for activity in activities:
            activity.drain() if drain else activity.cancel()
        late = [a for a in activities if not a.wait(max(0.0, deadline - self.now()))]
        for activity in late:
            activity.cancel()
        return [str(activity) for activity in late if not activity.wait(0.1)]

    def _tell_all_to_stop(self) -> None:
        for actor in reversed(self.children()):
            actor._stop_when_read()

    def _stop_actors(self, deadline: float) -> list[str]:
        self._tell_all_to_stop()
        with self._emptied:
            while self._actors and self._emptied.wait(max(0.0, deadline - self.now())):
                pass
        return [str(actor) for actor in self.children()]

    def _close_threads(self, deadline: float) -> list[str]:
        with self._lock:
            pinned = list(self._pinned)
        late: list[str] = []
        parts: list[_Closeable] = [self.blocking, self.event_loop, *pinned, self._dispatcher]
        for part in (*parts, self.timers):
            late += part.close(max(0.0, deadline - self.now()))
        return late


_current: contextvars.ContextVar[ActorSystem | None] = contextvars.ContextVar(
    "actors_rs_current_system", default=None
)


def spawn_in_current_system(actor_class: type[A], *args: Any, **kwargs: Any) -> ActorRef[A]:
    """Start an actor in the innermost system that was entered, else in the default one."""
    system = _current.get()
    if system is not None:
        return system.spawn(actor_class, *args, **kwargs)
    from actors_rs.runtime.default_system import spawn_in_default_system

    return spawn_in_default_system(actor_class, *args, **kwargs)
