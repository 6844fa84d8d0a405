"""A supervisor's children and their order: what outlives a restart of the supervisor itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pykka import ActorRef

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime._primitives import Lock, RLock
from actors_rs.runtime.actors.actor_core import ActorCore
from actors_rs.runtime.actors.actor_ref import STOP, Ask, PooledActorRef
from actors_rs.runtime.actors.contract import ActorBase, RuntimeMessage
from actors_rs.runtime.actors.future import PooledFuture
from actors_rs.runtime.eventing.events import Events
from actors_rs.runtime.settings import check_text
from actors_rs.runtime.supervision.child_spec import ChildSpec, Supervisor, names_for
from actors_rs.runtime.supervision.supervised import (
    Child,
    ChildEvents,
    State,
    SupervisingSystem,
    TakeOver,
)
from actors_rs.texts import few, repr_of

__all__ = ["Added", "ChildSlots", "Removed"]


class TopSupervisors(Protocol):
    """The supervisors of one system, as one of them sees it."""

    @property
    def lock(self) -> Lock:
        """Held to hang a running actor into the tree."""
        ...

    def add_top(self, child_slots: ChildSlots) -> None:
        """There is one more top supervisor."""

    def remove_top(self, child_slots: ChildSlots) -> None:
        """It has ended."""


class SystemWithTree(SupervisingSystem, Protocol):
    """A system, as supervisors see it."""

    @property
    def events(self) -> Events:
        """It reports restarts there."""
        ...

    @property
    def _tree(self) -> TopSupervisors: ...


class ChildSlots:
    """The children of one supervisor. Methods may be called from any thread where not said."""

    def __init__(
        self,
        supervisor: Supervisor,
        system: SystemWithTree,
        actor_class: type[ActorCore],
        parent: ChildSlots | None = None,
    ) -> None:
        self.strategy = supervisor.strategy
        self.system = system
        self.parent = parent
        self._actor_class = actor_class
        """Of supervisors."""
        name = supervisor.name or "supervisor"
        self.path: str = name if parent is None else f"{parent.path}/{name}"
        self.ref: PooledActorRef[Any] | None = None
        """Of the supervisor, once it has an address."""
        self.escalate: Callable[[BaseException], None] = system.fatal
        """Called when the supervisor has given up and there is none above it."""
        self._lock = RLock()  # the collector may run a ``__del__`` in here that asks for children
        self._by_name: dict[str, Child] = {}
        self.order: dict[Child, None] = {}
        """Children in the order of their start; only in turns of the supervisor."""
        self._numbers: Counter[str] = Counter()
        for child in self._new_slots(supervisor.children):
            self.order[child] = None

    def offer(self, message: RuntimeMessage) -> bool:
        """Send to the supervisor, before all else in its mailbox; False if it has ended."""
        return self.ref is not None and self.ref.actor_inbox.offer_control(message)

    def tell(self, message: RuntimeMessage) -> None:
        """Send to the supervisor; raises ``InvalidArgumentError`` if it has ended, or elsewhere."""
        self._check_is_here()
        given_up = self.ref is not None and self.ref.actor_inbox.refuses
        if given_up or not self.offer(message):
            raise InvalidArgumentError(f"supervisor '{self.path}' has stopped")

    def add(self, spec: ChildSpec | Supervisor) -> PooledActorRef[Any]:
        """Make a slot for one more child, after the others, and have it started."""
        self._check_is_here()
        [child] = self._new_slots([spec])
        try:
            self.tell(Added(child))
        except InvalidArgumentError:
            child.close()
            raise
        return child.ref

    def take(self, ref: ActorRef[Any], spec: ChildSpec) -> None:
        """Take charge of an actor that runs already. See ``SupervisorRef.supervise``."""
        self.system._check_open()
        pooled = _ref_of(ref)
        below: ChildSlots | None = getattr(pooled, "child_slots", None)
        with self.system._tree.lock:
            actor = self._to_take(pooled, below)
            [child] = self._new_slots([spec], pooled, below)
            if below is not None:
                below.parent = self
            actor._has_slot_ = True  # before the look whether the system stops, as in its line
        child.state = State.RUNNING
        try:
            self.system._check_open()
            self.tell(Added(child))
        except InvalidArgumentError:
            self._give_back(child, actor)
            raise
        if not pooled.actor_inbox.offer_control(TakeOver(child)):
            child.final = True
            child.report()

    def _give_back(self, child: Child, actor: ActorBase) -> None:
        self.forget(child)
        actor._has_slot_ = False
        if not self.system.is_open:  # which has perhaps passed it by
            actor._stop_when_read_()

    def find(self, path: str) -> PooledActorRef[Any]:
        """The child of that name, or further below along a path; raises if there is none."""
        return self.child_of(path).ref

    def below(self, path: str) -> PooledActorRef[Any] | None:
        """The child of that name, or further below along a path; None if there is none."""
        try:
            return self.find(path)
        except InvalidArgumentError:
            return None

    def child_of(self, path: str) -> Child:
        """The place of that name, or further below along a path; raises if there is none."""
        check_text("the name of a child", path)
        name, _, rest = path.partition("/")
        with self._lock:
            child = self._by_name.get(name)
        if child is None or (rest and child.child_slots is None):
            raise InvalidArgumentError(
                f"supervisor '{self.path}' has no child '{path}', its children are: "
                f"{few(self.refs())}"
            )
        return child.child_slots.child_of(rest) if rest and child.child_slots is not None else child

    def refs(self) -> dict[str, PooledActorRef[Any]]:
        """All children by name, without the children of supervisors among them."""
        with self._lock:
            children = dict(self._by_name)
        return {name: child.ref for name, child in children.items()}

    def forget(self, child: Child) -> None:
        """``child`` has ended; its name is free."""
        with self._lock:
            if self._by_name.get(child.name) is child:
                del self._by_name[child.name]

    def close(self) -> None:
        """End all places for good, when nobody lives in any of them."""
        self.system._tree.remove_top(self)
        for child in reversed(list(self.order)):
            child.close()
        self.order.clear()

    def disown(self) -> None:
        """The threads are in the parent of this process: all places are dead, no lock is held."""
        self._lock = RLock()
        for child in self._by_name.values():
            child.actor_stopped.mark()
            if child.child_slots is not None:
                child.child_slots.disown()

    def _check_is_here(self) -> None:
        if self.system._orphaned:
            self.system._check_open()  # which says so

    def _new_slots(
        self,
        specs: Sequence[ChildSpec | Supervisor],
        ref: PooledActorRef[Any] | None = None,
        below: ChildSlots | None = None,
    ) -> list[Child]:
        with self._lock:
            slots = []
            for name, spec in names_for(specs, self._by_name, self._numbers):
                if isinstance(spec, Supervisor):
                    below = ChildSlots(spec, self.system, self._actor_class, self)
                    made_by = ChildSpec(self._actor_class, (below,), restart=spec.restart)
                else:
                    made_by = spec
                child = Child(self, name, made_by, below, ref)
                if below is not None:
                    below.ref = child.ref
                self._by_name[name] = child
                slots.append(child)
                below = None
            return slots

    def _to_take(self, ref: PooledActorRef[Any], below: ChildSlots | None) -> ActorBase:
        above: ChildSlots | None = self
        while above is not None and below is not None:
            if above is below:
                raise InvalidArgumentError(
                    f"supervisors form a tree, and '{below.path}' is already above '{self.path}'"
                )
            above = above.parent
        actor = ref._actor_weakref()
        if actor is None or actor._supervisor_link_ is not None or actor._has_slot_:
            raise InvalidArgumentError(f"an actor has one supervisor, and {ref} already has one")
        if actor._system_ is not self.system:
            raise InvalidArgumentError(f"{ref} lives in another system than '{self.path}'")
        return actor  # type: ignore[no-any-return]


class Added(RuntimeMessage):
    """To the supervisor: it has one more child."""

    __slots__ = ("child",)

    def __init__(self, child: Child) -> None:
        self.child = child

    def receive(self, actor: ChildEvents, /) -> None:  # type: ignore[override]
        actor.child_added(self.child)

    def unread(self, actor: object, /) -> None:
        if self.child.state is State.DOWN:
            self.child.close()
        else:  # taken over by a supervisor that has ended, and stops as all its children did
            self.child.halt(last=True, at_once=False)


class Removed(RuntimeMessage):
    """To the supervisor: stop one of its children for good."""

    __slots__ = ("child", "leaver")

    def __init__(self, child: Child, leaver: PooledFuture[bool]) -> None:
        self.child = child
        self.leaver = leaver

    def receive(self, actor: ChildEvents, /) -> None:  # type: ignore[override]
        actor.child_removed(self.child, self.leaver)

    def unread(self, actor: object, /) -> None:
        """A supervisor ends after its children, but not after one taken over at that moment."""
        if not self.child.actor_inbox.offer(Ask(STOP, self.leaver)):
            self.leaver.set(True)


def _ref_of(ref: ActorRef[Any]) -> PooledActorRef[Any]:
    """``ref`` if its actor can be supervised at all; raises ``InvalidArgumentError``."""
    if not isinstance(ref, PooledActorRef):
        raise InvalidArgumentError(f"supervise needs the ref of a PooledActor, got {repr_of(ref)}")
    if not ref.is_alive():
        raise InvalidArgumentError(f"only a living actor can be supervised, {ref} has stopped")
    return ref
