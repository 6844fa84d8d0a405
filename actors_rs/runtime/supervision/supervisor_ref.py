"""How a supervisor is started and talked to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, overload

from pykka import ActorRef

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.actors.actor_ref import STOP, PooledActorRef
from actors_rs.runtime.actors.future import PooledFuture
from actors_rs.runtime.actors.may_wait import STOP_CHILD, check_may_wait
from actors_rs.runtime.settings import check_timeout
from actors_rs.runtime.supervision.child_slots import ChildSlots, Removed
from actors_rs.runtime.supervision.child_spec import ChildSpec, Restart, Supervisor, check_child
from actors_rs.texts import repr_of

__all__ = ["RunLike", "SupervisorRef"]


class RunLike(Protocol):
    """An activity that a supervisor can be part of: a run."""

    def abort(self, error: BaseException) -> None:
        """End with ``error``, now."""

    def when_ended(self, action: Callable[[], object], /) -> None:
        """Call ``action`` when it has ended, at once if it has."""


class SupervisorRef(PooledActorRef[Any]):
    """The reference to a supervisor. All methods may be called from any thread.

    The library makes it, of the ``address`` of the supervisor and its ``actor_class``. A supervisor
    itself takes no messages of the user: send them to its children.

    >>> class Store(PooledActor):
    ...     def on_receive(self, order):
    ...         return f"stored {order}"
    >>> with ActorSystem() as system:
    ...     tree = system.supervise(Supervisor(children=[ChildSpec(Store, name="store")]))
    ...     tree.child("store").ask("order 1"), list(tree.children()), tree.parent
    ...     second = tree.start_child(ChildSpec(Store, name="second"))
    ...     tree.stop_child("second", timeout=5)
    ...     spare = system.spawn(Store)
    ...     tree.supervise(spare, name="spare")
    ...     tree.stop(timeout=5)
    ('stored order 1', ['store'], None)
    True
    True
    """

    def __init__(self, address: Any, actor_class: type[Any]) -> None:
        super().__init__(address, actor_class)
        self.child_slots: ChildSlots = address.child_slots

    @property
    def parent(self) -> SupervisorRef | None:
        """The supervisor of this one; ``None`` at the top. An actor's own is ``supervisor``."""
        above = self.child_slots.parent
        ref = None if above is None else above.ref
        assert ref is None or isinstance(ref, SupervisorRef)  # no other reference has children
        return ref

    def child(self, path: str) -> PooledActorRef[Any]:
        """The child with the name ``path``; ``"workers/parser"`` is a child's child.

        The same reference for as long as the child may live again. Raises ``InvalidArgumentError``
        if there is none.
        """
        return self.child_slots.find(path)

    def children(self) -> dict[str, PooledActorRef[Any]]:
        """The children by name."""
        return self.child_slots.refs()

    @overload
    def start_child(self, child: ChildSpec) -> PooledActorRef[Any]: ...

    @overload
    def start_child(self, child: Supervisor) -> SupervisorRef: ...

    def start_child(self, child: ChildSpec | Supervisor) -> PooledActorRef[Any]:
        """Add ``child`` after the others and start it; returns its reference at once.

        Raises ``InvalidArgumentError`` if its name is taken or the supervisor has stopped.
        """
        check_child(child)
        return self.child_slots.add(child)

    def stop_child(self, name: str, *, block: bool = True, timeout: float | None = None) -> Any:
        """Stop the child ``name`` for good, after the messages it has; True when it has ended.

        If the child fails during the stop, no restart follows, and its unread messages become dead
        letters.
        ``"workers/parser"`` is a child's child. With ``block`` (default) this waits for the end, at
        most ``timeout`` seconds, by default without limit; otherwise it returns a future, as
        ``stop`` does. Raises ``InvalidArgumentError`` if there is no such child, its supervisor has
        stopped, or ``timeout`` is no number, and ``pykka.Timeout`` if the child has not ended.
        """
        check_timeout(timeout)
        if block:
            check_may_wait(timeout, STOP_CHILD)
        future: PooledFuture[bool] = PooledFuture()
        child = self.child_slots.child_of(name)
        future.question = (child.ref, STOP)
        child.home.tell(Removed(child, future))
        return future.get(timeout=timeout) if block else future

    def supervise(
        self,
        ref: ActorRef[Any],
        *,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        name: str = "",
        restart: Restart = "permanent",
    ) -> None:
        """Take charge of the running actor ``ref``; ``args`` and ``kwargs`` make its successors.

        ``name`` and ``restart`` are as in ``ChildSpec``. Raises ``InvalidArgumentError`` for an
        actor that has stopped, has a supervisor, is above this one in the tree, or lives in another
        system.
        """
        below = getattr(ref, "child_slots", None)
        if below is not None:
            args, name = (below,), name or below.path
        if not isinstance(ref, PooledActorRef):
            raise InvalidArgumentError(
                f"supervise needs the ref of a PooledActor, got {repr_of(ref)}"
            )
        self.child_slots.take(ref, ChildSpec(ref.actor_class, args, kwargs or {}, name, restart))
