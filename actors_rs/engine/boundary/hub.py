"""``HubPublisher``: one run of a source, and many subscribers that come and go.

Subscribers enter in a turn of the hub's stage, where each gets an outlet. A subscriber that arrives
while the stage ends is either among the waiting ones or comes after the end: none is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from actors_rs.engine.assembly import prepare
from actors_rs.engine.boundary.foreign import ForeignSubscriber, check_subscriber, serve_all
from actors_rs.engine.boundary.standard import _over, _reject
from actors_rs.engine.contract import Scope
from actors_rs.engine.layout import Layout
from actors_rs.engine.materializer import new_run, run_name, start_serving
from actors_rs.engine.member import Member
from actors_rs.engine.monitored import monitored_subscriber
from actors_rs.engine.run.run import Run
from actors_rs.errors import ProtocolViolation
from actors_rs.graph.blueprint import check_closed, in_order
from actors_rs.graph.spec import OPEN, OutletRef, spec_of
from actors_rs.protocol.interfaces import Subscriber
from actors_rs.runtime._primitives import RLock
from actors_rs.runtime.system.system import ActorSystem
from actors_rs.stages.hubs.hub import HubLogic
from actors_rs.stages.ports import Outlet
from actors_rs.texts import repr_of

__all__ = ["HubPublisher"]

T = TypeVar("T")


class HotLogic(Protocol):
    """The logic of a hot Publisher: a stage whose outlets come and go."""

    ending: BaseException | None
    """After the end: the error for late subscribers, or ``None`` for a completion."""
    when_stopped: Callable[[], None]
    """Called when the stage stops, in its last turn."""

    def held(self) -> list[Any]:
        """The elements that a late one gets before that."""
        ...

    def outlet_of(self, whom: object) -> Outlet | None:
        """The outlet that serves ``whom``, if it is attached now."""
        ...

    def attach(self, whom: object) -> Outlet:
        """A new outlet for ``whom``."""
        ...


class HubPublisher(Generic[T]):
    """A hot Publisher: all subscribers get the same elements in the same order. Thread-safe.

    A subscriber begins with the oldest of the last ``replay`` elements and reads at its own pace. A
    subscriber that lags ``replay`` elements and requests nothing is handled by ``on_slow``:

    - ``"backpressure"``: it blocks all other subscribers.
    - ``"drop"``: it loses the oldest elements that it has not taken. They are not kept: ``dropped``
      in the details of the stage's snapshot counts them, once for each subscriber that misses one.
      The hub logs one warning, at the first, which names the subscriber. ``run.drain()`` still
      waits until the subscriber has taken the elements that the hub holds for it.
    - ``"fail"``: it gets ``on_error`` with ``SlowSubscriberError``.

    A subscriber is slow only after its first ``request``. Before, the hub passes elements on to the
    others and does not wait, with ``"drop"`` and ``"fail"``. These elements do not count as
    dropped: when the subscriber requests, it begins with the oldest element held then.

    The first subscriber starts the source. The hub takes elements when a subscriber requests some,
    so without subscribers it takes none. A hub that never had a subscriber is cancelled with its
    system.

    After the end of the stream, a new subscriber gets the elements still held, at its own pace,
    then the terminal signal. When the last subscriber leaves before the end, the hub cancels
    upstream and shuts down, unless ``keep_alive``: later subscribers get ``on_subscribe`` and
    ``on_error`` with ``IllegalStateError``. A run that was cancelled or has failed in the hub
    itself holds nothing; late subscribers get its error.

    A run that fails is one ERROR line of the logger ``actors_rs.runtime``, with or without
    subscribers: a hub has no caller that asks for the result of the run.

    Subscribing an object that is subscribed already breaks rules 1.10 and 2.12. A second
    ``on_subscribe`` would break 2.12 once more, so the one stream it has ends with ``on_error``, as
    rule 1.9 demands of a rejection.

    Signals are sent in turns of one actor. A foreign subscriber that blocks in ``on_next``, which
    rule 2.2 advises against, delays all others, with any ``on_slow``. On a system with ``monitor``
    the first violation of a rule ends the run, and with it the streams of all subscribers.
    """

    def __init__(
        self,
        system: ActorSystem,
        out: OutletRef,
        kind: str,
        make: Callable[[], HotLogic],
        name: str | None = None,
    ) -> None:
        self._system = system
        self._spec = spec_of(kind, make, out, outlets=0, name=name)
        specs = in_order([self._spec])
        check_closed(specs)
        self._layout = Layout(specs)
        self._name = next(s.name for s in self._layout.stages if s.spec is self._spec)
        self._scope = new_run(system, run_name("hub", name))
        self._scope.await_begin()
        self.run: Run[None] = self._scope.run
        """The one run of the source; it begins with the first subscriber."""
        self.run.when_ended(partial(_log_failure, system, self.run))
        # Over the four fields below; the collector may run a ``__del__`` in here that subscribes.
        self._lock = RLock()
        self._waiting: list[Subscriber[T]] = []
        self._started = False
        self._over = False
        self._member: Member | None = None  # once it can be sent messages

    def __repr__(self) -> str:
        return f"<Hub '{self._name}' {'over' if self._over else 'open'}>"

    def subscribe(self, subscriber: Subscriber[T], /) -> None:
        """Let ``subscriber`` take part; ``TypeError`` if it is none (1.9)."""
        check_subscriber(subscriber)
        if (closed := _over(self._system)) is not None:
            _reject(self._system, subscriber, closed)
            return
        with self._lock:
            over, first, member = self._over, not self._started, self._member
            self._started = True
            if not over:
                self._waiting.append(subscriber)
        if over:
            self._serve_late(subscriber)
        elif first:
            self._start()
        elif member is not None:  # else the call that starts it admits this one too
            member.post(partial(self._admit, member))

    def _start(self) -> None:
        """Make the stages and start them, which claims the outlet that was handed to the hub."""
        try:
            members = prepare(self._system, self._scope, self._layout)
        except Exception as error:
            self._refuse(error)
            return
        member = members[self._spec]
        logic: Any = member.logic
        self._logic: HotLogic = logic
        logic.when_stopped = self._stopped
        serve_all(member, logic)
        member.before_start = partial(self._admit, member)
        with self._lock:
            self._member = member
        start_serving(self._system, self._scope, members)
        if member.mailbox.closed:
            self._stopped()  # it could not be started, so there is no last turn

    def _refuse(self, error: Exception) -> None:
        """There will be no run: present and later subscribers get ``error``."""
        self._scope.abort(error)
        with self._lock:
            waiting, self._waiting = self._waiting, []
            self._started = False  # last: a subscriber that comes now starts it once more
        for subscriber in waiting:
            _reject(self._system, subscriber, error)

    def _admit(self, member: Member) -> None:
        """Give the waiting subscribers their outlets; in the stage's turn."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for subscriber in waiting:
            taken = self._logic.outlet_of(subscriber)
            if taken is None:
                _seat(self._scope, member, self._logic, subscriber)
            else:
                again = "subscribed twice to the same hub (rule 1.10)"
                taken.fail(ProtocolViolation("2.12", again))

    def _stopped(self) -> None:
        """The stage has stopped: who waited until now comes late; in the stage's last turn."""
        with self._lock:
            self._over = True
            waiting, self._waiting = self._waiting, []
        for subscriber in waiting:
            self._serve_late(subscriber)

    def _serve_late(self, subscriber: Subscriber[T]) -> None:
        """Send the elements still held and the end, in a run for this subscriber alone."""
        if (closed := _over(self._system)) is not None:
            _reject(self._system, subscriber, closed)
            return
        held, ending = self._logic.held(), self._logic.ending
        spec = replace(self._spec, make=lambda: HubLogic.replaying(held, ending), inputs=(OPEN,))
        scope = new_run(self._system, self.run.name)
        members = prepare(self._system, scope, [spec])
        member = members[spec]
        assert isinstance(member.logic, HubLogic)
        serve_all(member, member.logic)
        member.before_start = partial(_seat, scope, member, member.logic, subscriber)
        start_serving(self._system, scope, members)


def _log_failure(system: ActorSystem, run: Run[None]) -> None:
    """Log that ``run``, the ended run of a hub, has failed, if it has."""
    error = run._end.error
    if error is not None and run.state == "failed":
        what = (
            f"the run {repr_of(run.name)} of a hub has failed; present and later subscribers get "
            "its error. To begin such a source anew, write .restart(Backoff(...)) before .hub(...)"
        )
        system.dead_letters.failures.add(what, f"hub {run.name}", error)


def _seat(scope: Scope, member: Member, logic: HotLogic, subscriber: Subscriber[Any]) -> None:
    """Connect ``subscriber`` to an outlet of its own and send it ``on_subscribe``."""
    peer = monitored_subscriber(scope, member, subscriber) if scope.monitored else subscriber
    ForeignSubscriber(member, logic.attach(subscriber), peer).begin()
