"""The base of the operators' classes: ``then`` adds one stage downstream of a flow.

``Flow`` imports its bases, so they import it for annotations alone, and make one with ``flow_of``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, Unpack

if TYPE_CHECKING:
    from actors_rs.graph.spec import OutletRef, Traits
    from actors_rs.language.flow import Flow
    from actors_rs.language.groups import Group

__all__ = ["FRESH", "Chain", "flow_of"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)

FRESH = 1
"""The window of an outlet whose elements are made when downstream asks for them, not before."""


class Chain(Generic[In_contra, Out_co]):
    """A flow, as far as an operator has to know it."""

    __slots__ = ()
    _flow: ClassVar[type[Flow[Any, Any]]]
    """``Flow`` itself; ``flow.py`` sets it."""
    _group: ClassVar[type[Group[Any, Any]]]
    """``Group``; ``groups.py`` sets it."""

    def then(
        self,
        kind: str,
        make: Callable[[], Any],
        outflow_window: int | None = None,
        **traits: Unpack[Traits],
    ) -> Flow[In_contra, Any]:
        """This flow with one more stage of ``kind``, whose logic ``make`` gives.

        ``outflow_window`` and the traits: see ``StageSpec``.
        """
        raise NotImplementedError


def flow_of(out: OutletRef) -> Flow[Any, Any]:
    """The flow that ends in ``out``."""
    return Chain._flow(out)
