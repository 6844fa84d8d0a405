"""The tree of supervision of one system: its top supervisors, and the way down from them."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime._primitives import Lock
from actors_rs.runtime.settings import check_text

if TYPE_CHECKING:
    from actors_rs.runtime.actors.actor_ref import PooledActorRef
    from actors_rs.runtime.supervision.child_slots import ChildSlots

__all__ = ["Tree"]

FEW = 3
"""How many paths a refusal names that are near the one that was asked for."""


class Tree:
    """Where supervised actors are found by path. Methods may be called from any thread."""

    def __init__(self) -> None:
        self.lock = Lock()
        """Held to hang a running actor into the tree."""
        self._tops: dict[ChildSlots, None] = {}  # single operations are atomic

    def add_top(self, child_slots: ChildSlots) -> None:
        """There is one more top supervisor."""
        self._tops[child_slots] = None

    def remove_top(self, child_slots: ChildSlots) -> None:
        """It has ended."""
        self._tops.pop(child_slots, None)

    def find(self, path: str) -> PooledActorRef[Any]:
        """The actor at ``path``; raises ``InvalidArgumentError`` if there is none, or several."""
        check_text("the path of an actor", path)
        name, _, below = path.strip("/").partition("/")
        tops = [top for top in self._living() if top.path == name]
        if len(tops) > 1:
            raise InvalidArgumentError(
                f"{len(tops)} supervisors are called '{name}': tell them apart by "
                "Supervisor(name=...)"
            )
        found: PooledActorRef[Any] | None = tops[0].ref if tops else None
        if tops and below:
            found = tops[0].below(below)
        if found is None:
            raise InvalidArgumentError(f"there is no actor at '{path}', {self._near(path)}")
        return found

    def _near(self, path: str) -> str:
        known = [f"/{top.path}" for top in self._living()]
        known += [f"/{one}" for top in self._living() for one, _ in _below(top)]
        near = get_close_matches(f"/{path.strip('/')}", known, FEW, 0.3)
        if near:
            return f"the nearest are: {', '.join(near)}"
        return "as a supervisor that is started by system.supervise, or a child of one, has a path"

    def _living(self) -> list[ChildSlots]:
        return [top for top in self._tops.copy() if top.parent is None and top.ref is not None]


def _below(child_slots: ChildSlots) -> Iterator[tuple[str, PooledActorRef[Any]]]:
    left = [(child_slots.path, child_slots)]
    while left:
        path, one = left.pop()
        for name, ref in one.refs().items():
            yield f"{path}/{name}", ref
            inner: ChildSlots | None = getattr(ref, "child_slots", None)
            if inner is not None:
                left.append((f"{path}/{name}", inner))
