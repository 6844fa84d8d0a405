"""``ActorSystem``: owns the threads, the clock, the dead letters and the actors that use them.

A system is a context manager; when its block has been left, none of its threads is alive. It knows
nothing of streams: it starts and stops objects that implement ``Startable`` and ``Activity``.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pykka import ActorRegistry

from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import RLock, check_may_block
from actors_rs.runtime.actors.actor_core import ActorCore
from actors_rs.runtime.actors.actor_ref import PooledActorRef
from actors_rs.runtime.actors.delayed import DelayedMessages
from actors_rs.runtime.condition import Condition
from actors_rs.runtime.dead_letters.dead_letters import DeadLetters
from actors_rs.runtime.dispatch.calling_thread import CallingThreadDispatcher
from actors_rs.runtime.dispatch.dispatcher import Dispatcher
from actors_rs.runtime.dispatch.pinned import PinnedDispatcher
from actors_rs.runtime.dispatch.resources import Resources, check_settings, threads
from actors_rs.runtime.eventing.events import Events
from actors_rs.runtime.memory_budget import budget_of
from actors_rs.runtime.settings import check_count, check_flag, check_timeout
from actors_rs.runtime.supervision.supervising import Supervising
from actors_rs.runtime.system.admission import check_actor, check_actor_class, check_dispatcher
from actors_rs.runtime.system.blocks import Blocks
from actors_rs.runtime.system.current import Block
from actors_rs.runtime.system.ending import Ending
from actors_rs.runtime.system.exit import enrol
from actors_rs.runtime.system.guardian import Guardian
from actors_rs.runtime.system.notebook import InNotebooks
from actors_rs.runtime.system.parts import Activity, Hurriable
from actors_rs.runtime.system.shutdown import Shutdown
from actors_rs.runtime.system.signals import SystemSignals
from actors_rs.runtime.system.startable import Startable, Starting
from actors_rs.runtime.system.statistics import SystemStatistics, statistics_of
from actors_rs.runtime.system.stopping import StopLine
from actors_rs.runtime.system.tree import Tree
from actors_rs.texts import class_name_of, repr_of

if TYPE_CHECKING:
    from actors_rs.runtime.actors.contract import ActorBase

__all__ = ["Activity", "ActorSystem", "Startable"]

A = TypeVar("A", bound=ActorCore)
R = TypeVar("R")
logger = logger_called("actors_rs.runtime")
MOST_WINDOW = 4096
"""Elements that an automatic window holds at most."""


class ActorSystem(Ending, Blocks, Starting, Supervising, InNotebooks):
    """A pool of threads and the actors that share it. All methods may be called from any thread.

    - ``workers`` and ``max_workers``: the pool's size at rest, by default one per core, and its
      limit (256) when user code blocks.
    - ``window``: elements that an inlet keeps requested unless the graph says otherwise. With
      ``"auto"``, the default, an inlet begins with 8. It requests more while its stage drains a
      whole window within 5 ms and downstream asks for more. The limit is the least of 4,096
      elements, 16 MiB and 250 ms of the stage's work. The weight of an element is estimated, see
      ``with_attributes(weight=)``. A number is the window of all inlets, except downstream of
      stages that give lists or blocks, such as ``batch``: there it is 16.
    - ``memory_limit``: bytes, or a text such as ``"2 GiB"``, that all links hold together at most;
      a window is the most then. No limit by default.
    - ``throughput``: messages that a turn takes at most; by default 100, in a stage all there are,
      which its windows limit.
    - ``metrics``: whether stages measure their time; on by default.
    - ``monitor``: whether the rules of the standard are watched on every link between two stages,
      or from a stage to a foreign subscriber. The first violation ends its run with a
      ``ProtocolViolation``. Off by default.
    - ``stall_after``: seconds after which a run in which nothing can move any more ends with
      ``Stalled``, 0.5 by default; ``None`` is never. See ``Graph.watched``.
    - ``dispatcher``: ``"pool"`` (default), or ``"calling_thread"`` for tests.
    - ``name``: of its threads and in messages, ``"actors"`` by default.
    - ``shutdown_timeout``: seconds that ``shutdown`` waits at most, 30 by default.
    - ``cancel_grace``: seconds, 2 by default, for which a run that was cancelled or failed waits
      for functions that do not return, and a block that an exception leaves waits for everything.
    - ``dead_letters_kept``: how many dead letters, the newest ones, are kept; 1,000 by default.
    - ``resources``: threads and clocks in place of real ones, for deterministic tests.

    >>> with ActorSystem(workers=2, name="orders") as system:
    ...     system.start(Source.of(2, 3).to(Sink.sum())).result(), system.is_open, system.children()
    (5, True, ())
    """

    # Class attributes, since an instance with more than 30 attributes of its own is slow.
    _guardian: Guardian | None = None
    _emptied: Condition | None = None  # notified of the last actor's end; made by who waits for it
    _pinned: Sequence[PinnedDispatcher] = ()  # of stopped actors too, until the thread ended
    _spared = 0  # actors that the shutdown does not wait for yet
    auto_window = False  # whether ``window`` is the most, and inlets request what fits their pace
    knows_rest = False  # a deterministic world tells when nothing can run
    keeps_ended = False  # and settles accounts with stages that have ended
    before_foreign_cancel: Callable[[Any], None] | None = None  # it decides what is under way
    _signals: SystemSignals | None = None
    _abandoned = _restarts = 0
    watchers: tuple[Callable[[Activity], object], ...] = ()
    """Called with each activity that begins, such as a run; on any thread, and they never raise."""

    def __init__(
        self,
        *,
        workers: int | None = None,
        max_workers: int = 256,
        window: int | Literal["auto"] = "auto",
        memory_limit: int | str | None = None,
        throughput: int | None = None,
        metrics: bool = True,
        monitor: bool = False,
        stall_after: float | None = 0.5,
        dispatcher: Literal["pool", "calling_thread"] = "pool",
        name: str = "actors",
        shutdown_timeout: float = 30.0,
        cancel_grace: float = 2.0,
        dead_letters_kept: int = 1000,
        resources: Resources | None = None,
    ) -> None:
        flags = {"metrics": metrics, "monitor": monitor}
        times = shutdown_timeout, cancel_grace
        check_count("dead_letters_kept", dead_letters_kept)
        check_settings(window, throughput, stall_after, dispatcher, times, name, flags)
        self.name = name
        if window == "auto":
            self.auto_window = True
            window = MOST_WINDOW
        self.window = window
        """What an inlet keeps requested, or the most of it where that is automatic."""
        self.memory, self.throughput = budget_of(memory_limit), throughput
        self.metrics, self.monitor, self.stall_after = metrics, monitor, stall_after
        self.sends_ahead = dispatcher == "pool" and resources is None  # with threads to do it
        self._calling_thread = CallingThreadDispatcher()  # one for all: several would nest
        self._resources = resources or threads(
            name,
            workers=workers,
            cap=max_workers,
            dispatcher=self._calling_thread if dispatcher == "calling_thread" else None,
        )
        self._take(self._resources, dead_letters_kept)
        self.shutdown_timeout, self.cancel_grace = times
        self._begin_empty()
        if resources is None:  # nobody looks into a world
            self._guardian = Guardian(self)
            ActorRegistry.register(self._guardian.actor_ref)
            enrol(self)

    def _begin_empty(self) -> None:
        self._lock = RLock()  # reentrant: a ``__del__`` may run here and drain or spawn.
        # Entered and left without a lock: single dict operations are atomic, and a lock here
        # would be a queue of all actors that start or stop.
        self._actors: dict[int, ActorCore] = {}  # by number: a user's __eq__ has no say
        self._activities: dict[Activity, None] = {}
        self._stop_line = StopLine()
        self._tree = Tree()
        self.delayed = DelayedMessages(self)
        self.events = Events(self.name, self.now, self.dead_letters)
        self._closed = False
        self._inside = Block(self)
        self._blocks: list[Block] = []  # entered, and not left yet
        self._given_up: set[int] = set()  # actors that were there when a shutdown's time was up
        self._hanging: set[int] = set()  # the ones of these that were in a turn
        self._shutdowns: list[Hurriable] = []  # under way

    def _take(self, resources: Resources, dead_letters_kept: int) -> None:
        self._dispatcher = resources.dispatcher
        self.timers = resources.timers
        self.blocking = resources.blocking
        self.event_loop = resources.event_loop
        self.processes = resources.processes
        self.now = resources.now
        """The monotonic seconds that delays are counted in."""
        self.timing_clock = resources.timing_clock
        """The seconds that turns and user code are timed by."""
        self.chance = resources.chance
        """From 0 to 1, at random: the dice of waits with jitter."""
        self.dead_letters = DeadLetters(
            kept=dead_letters_kept,
            now=resources.now,
            wall_clock=resources.wall_clock,
            schedule=resources.dispatcher.schedule,
        )

    def _enter_block(self) -> None:
        block = Block(self)
        block.enter()
        self._blocks.append(block)

    def note_abandoned(self) -> None:
        """A call of the user's that has not returned is waited for no more."""
        with self._lock:
            self._abandoned += 1

    def _note_restart(self) -> None:
        """A supervisor has an actor made in the place of one that has ended."""
        with self._lock:
            self._restarts += 1

    def __repr__(self) -> str:
        return f"<ActorSystem {repr_of(self.name)}: {len(self._actors)} actors>"

    def spawn(self, actor_class: type[A], *args: Any, **kwargs: Any) -> PooledActorRef[A]:
        """Start an actor of ``actor_class`` here; further arguments go to its constructor.

        Raises ``ArgumentTypeError`` if ``actor_class`` is no subclass of ``PooledActor``.

        >>> class Greeter(PooledActor):
        ...     def on_receive(self, message):
        ...         return f"hello {message}"
        >>> with ActorSystem() as system:
        ...     system.spawn(Greeter).ask("Ada")
        'hello Ada'
        """
        self._check_open()
        check_actor_class("spawn", actor_class)
        return self.adopt(actor_class(*args, **kwargs))

    def adopt(self, actor: A) -> PooledActorRef[A]:
        """Start an actor that was constructed already; ``ArgumentTypeError`` if it is none."""
        check_actor(actor)
        actor._system_ = self
        self._actors[actor._urn_number_] = actor
        try:
            self._check_open()  # after the entry: shutdown closes before it looks at entries
            actor._start_loop_()
        except BaseException:
            actor._close_(None)
            raise
        return actor.actor_ref

    def enter(self, actor: ActorCore) -> None:
        """``actor`` lives here, in place of the one before it with the same address."""
        self._actors[actor._urn_number_] = actor

    def forget(self, actor: ActorBase) -> None:
        """An actor has stopped; called by the actor itself, in its last turn."""
        self._actors.pop(actor._urn_number_, None)
        own = getattr(actor, "_dispatcher_", None)  # none if it was refused at the door
        if isinstance(own, PinnedDispatcher):
            own.close(0)
        if len(self._actors) <= self._spared:
            with self._lock:  # so that a waiting ``shutdown`` sees the actors without this one
                emptied = self._emptied
            if emptied is not None:
                emptied.notify_all()

    def register(self, activity: Activity) -> None:
        """Let shutdown end ``activity`` too, until ``unregister``."""
        with self._lock:
            self._activities[activity] = None
        for watcher in self.watchers:
            watcher(activity)

    def unregister(self, activity: Activity) -> None:
        """``activity`` has ended."""
        with self._lock:
            self._activities.pop(activity, None)

    def children(self) -> tuple[ActorCore, ...]:
        """The living actors, in the order they were started."""
        return tuple(self._actors.copy().values())

    def context(self) -> contextvars.Context:
        """A copy of the starting thread's context, to run an actor's code in.

        In it this system is the current one, so actors that an actor starts belong to it too.
        """
        return self._inside.context()

    def dispatcher_for(self, actor: ActorBase) -> Dispatcher:
        """The dispatcher that ``actor`` asks for by name; a pinned one is made for it."""
        name = actor.dispatcher
        if name == "pool" or self._resources.serves_all:
            return self._dispatcher
        if name == "calling_thread":
            return self._calling_thread
        check_dispatcher(name)
        pinned = PinnedDispatcher(f"{self.name}-pinned-{class_name_of(actor)}")
        with self._lock:
            self._pinned = [*(old for old in self._pinned if not old.ended), pinned]
        return pinned

    @property
    def is_open(self) -> bool:
        """Whether something can be started."""
        return not self._closed

    def statistics(self) -> SystemStatistics:
        """The system at this moment; cheap.

        >>> with ActorSystem(workers=2) as system:
        ...     system.statistics().actors
        0
        """
        return statistics_of(self)

    def shutdown(self, *, drain: bool = True, timeout: float | None = None) -> None:
        """End everything: runs, actors in reverse order, threads.

        With ``drain`` (default) runs deliver the elements in flight first, without it they are
        cancelled. Waits at most ``timeout`` seconds, by default the system's ``shutdown_timeout``.
        One log line names everything that has not stopped by then; it stays on daemon threads. May
        be called again. The end of a ``with`` block calls it.

        Raises ``BlockingError`` on a pool thread, and ``InvalidArgumentError`` for a ``timeout``
        that is no number. The phases: ``shutdown.py``.

        >>> system = ActorSystem()
        >>> system.shutdown(timeout=5)
        """
        check_flag("drain", drain)
        check_timeout(timeout)
        if self._orphaned:
            return
        check_may_block("shutdown()", "call it from a thread of your own")
        seconds = self.shutdown_timeout if timeout is None else timeout
        Shutdown(self, drain=drain, timeout=seconds).run()
        if self._guardian is not None:
            ActorRegistry.unregister(self._guardian.actor_ref)
        if self._signals is not None:
            self._signals.release()
