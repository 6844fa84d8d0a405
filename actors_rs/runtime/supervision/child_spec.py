"""The description of supervision: which actors, in which order, under which strategy.

``Supervisor`` and ``ChildSpec`` are plain values, checked when they are made. Nothing runs before
``system.supervise``; then ``supervisor.py`` runs it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.runtime.actors.actor_core import ActorCore
from actors_rs.runtime.supervision.strategies import OneForOne, Strategy
from actors_rs.texts import repr_of, repr_of_fields

__all__ = ["ChildSpec", "Restart", "Supervisor", "names_for"]

Restart: TypeAlias = Literal["permanent", "transient", "temporary"]
RESTARTS = ("permanent", "transient", "temporary")


@dataclass(frozen=True, slots=True)
class ChildSpec:
    """How to make one child: ``actor_class(*args, **kwargs)``, called anew for every restart.

    - ``restart``: a ``"permanent"`` child (default) is restarted however it ended, a
      ``"transient"`` one when it failed, a ``"temporary"`` one never.
    - ``name``: unique among its siblings; by default the class's name. Two children of class ``W``
      without a name are ``W`` and ``W-2``.

    Raises ``InvalidArgumentError``.

    >>> class Store(PooledActor):
    ...     def __init__(self, path):
    ...         super().__init__()
    ...         self.path = path
    >>> ChildSpec(Store, args=("orders.db",), restart="transient").args
    ('orders.db',)
    """

    actor_class: type[ActorCore]
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict, hash=False)
    name: str = ""
    restart: Restart = "permanent"

    __repr__ = repr_of_fields

    def __post_init__(self) -> None:
        made = self.actor_class
        if not (isinstance(made, type) and issubclass(made, ActorCore)):
            raise InvalidArgumentError(f"a child needs a PooledActor class, got {repr_of(made)}")
        _check(self.name, self.restart)
        args, kwargs = self.args, self.kwargs
        if isinstance(args, str | bytes) or not isinstance(args, Sequence):
            raise ArgumentTypeError(f"a child's args must be a tuple or list, got {repr_of(args)}")
        if not isinstance(kwargs, Mapping) or not all(isinstance(name, str) for name in kwargs):
            raise ArgumentTypeError(
                f"a child's kwargs must be a dict with names as keys, got {repr_of(kwargs)}"
            )
        object.__setattr__(self, "args", tuple(args))


@dataclass(frozen=True, slots=True)
class Supervisor:
    """Children in the order of their start, and the ``strategy`` for when one of them fails.

    ``strategy`` is ``OneForOne()`` by default. ``children`` are ``ChildSpec`` or ``Supervisor``.
    ``name`` is ``"supervisor"`` by default, and unique among siblings. ``restart`` says when the
    supervisor above starts this one again, as in ``ChildSpec``. Raises ``InvalidArgumentError``.

    >>> class Store(PooledActor): ...
    >>> tree = Supervisor(OneForAll(), [ChildSpec(Store, name="store")], name="orders")
    >>> [child.name for child in tree.children]
    ['store']
    """

    strategy: Strategy = field(default_factory=OneForOne)
    children: Sequence[ChildSpec | Supervisor] = ()
    name: str = "supervisor"
    restart: Restart = "permanent"

    def __post_init__(self) -> None:
        if not isinstance(self.strategy, Strategy):
            raise InvalidArgumentError(
                "strategy must be OneForOne(), OneForAll() or RestForOne(), "
                f"got {repr_of(self.strategy)} (supervisor '{self.name}')"
            )
        children = _several(self.children)
        for child in children:
            check_child(child)
        _check(self.name or "supervisor", self.restart)
        list(names_for(children, (), Counter()))
        object.__setattr__(self, "children", children)


def check_child(child: object) -> None:
    """Raise ``InvalidArgumentError`` unless ``child`` says how a child is made."""
    if not isinstance(child, ChildSpec | Supervisor):
        raise InvalidArgumentError(
            f"a child must be a ChildSpec or a Supervisor, got {repr_of(child)}"
        )


def _several(children: Any) -> tuple[Any, ...]:
    """``children``, any iterable, as a tuple."""
    try:
        return tuple(children)
    except TypeError:
        if isinstance(children, Iterable):  # its own failure
            raise
        raise ArgumentTypeError(
            f"a supervisor's children must be a list, got {repr_of(children)}"
        ) from None


def names_for(
    children: Sequence[ChildSpec | Supervisor], taken: Collection[str], numbers: Counter[str]
) -> Iterator[tuple[str, ChildSpec | Supervisor]]:
    """Each child with its name: as said, else after its class, told apart by ``numbers``."""
    new: set[str] = set()
    for child in children:
        name = child.name or ("supervisor" if isinstance(child, Supervisor) else "")
        if not name:
            name = kind = child.actor_class.__name__  # type: ignore[union-attr]  # a ChildSpec
            numbers[kind] += 1
            while numbers[kind] > 1 and (name := f"{kind}-{numbers[kind]}") in taken:
                numbers[kind] += 1
        if name in taken or name in new:
            raise InvalidArgumentError(f"names of siblings must differ, got '{name}' twice")
        new.add(name)
        yield name, child


def _check(name: object, restart: object) -> None:
    if not isinstance(name, str) or "/" in name:
        raise InvalidArgumentError(
            f"a child's name must be a text without '/', got {repr_of(name)}"
        )
    if restart not in RESTARTS:
        raise InvalidArgumentError(
            f"restart must be 'permanent', 'transient' or 'temporary', got {repr_of(restart)}"
        )
