"""``Results``: a graph's result, from its sinks; ``Takes``: a flow's input type, for checkers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar, get_origin, get_type_hints

__all__ = ["NONE", "ONE", "Open", "Results", "Takes", "each_of"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Results:
    """How the results of ``ends`` sinks become one: one sink's result, or a tuple with ``parts``.

    ``combine`` is applied to it. ``kind`` is its class, if known.
    """

    kind: Any = object
    parts: tuple[Results, ...] | None = None
    combine: Callable[[Any], Any] | None = None
    ends: int = 1

    @classmethod
    def of_all(cls, parts: Sequence[Results]) -> Results:
        """A tuple of the results of ``parts``."""
        return cls(tuple, tuple(parts), ends=sum(part.ends for part in parts))

    @property
    def is_plain(self) -> bool:
        """Whether no function of the user's is called for it."""
        return self.combine is None and all(part.is_plain for part in self.parts or ())

    def of(self, results: Sequence[Any]) -> Any:
        """The one result; raises what ``combine`` does."""
        value: Any
        if self.parts is None:
            value = results[0] if results else None
        else:
            left = iter(results)
            each = [(part, [*islice(left, part.ends)]) for part in self.parts]
            value = tuple(part.of(own) for part, own in each if part.ends)
        return value if self.combine is None else self.combine(value)

    def mapped(self, f: Callable[[Any], Any]) -> Results:
        """``f`` of it."""
        combine = f if self.combine is None else partial(_after, f, self.combine)
        return replace(self, combine=combine, kind=kind_of(f))

    def spread(self, f: Callable[..., Any] | None) -> Results:
        """``f(*parts)`` of it, which is a tuple; itself without ``f``."""
        return self if f is None else replace(self.mapped(partial(_spread, f)), kind=kind_of(f))


ONE = Results()
"""The result of a single sink, unchanged."""
NONE = Results(type(None), ends=0)
"""The result of the way back of a loop: none."""


def each_of(parts: Sequence[Results], values: Sequence[Any]) -> tuple[Any, ...]:
    """``parts`` of ``values``, one each."""
    return tuple(part.of((value,)) for part, value in zip(parts, values, strict=True))


def kind_of(f: Any) -> Any:
    """The class of what ``f`` returns, as far as it says so."""
    if isinstance(f, type):
        return f
    try:
        said = get_type_hints(f).get("return", object)
    except Exception:  # no function of Python's, or a name that is not defined
        return object
    said = get_origin(said) or said
    return said if isinstance(said, type) else type(None) if said is None else object


def _after(f: Callable[[Any], Any], combine: Callable[[Any], Any], value: Any) -> Any:
    return f(combine(value))


def _spread(f: Callable[..., Any], values: Sequence[Any]) -> Any:
    return f(*values)


class Takes(Generic[T]):
    """The type that a flow takes, for type checkers. Unlike the flow it is not contravariant."""


class Open(Protocol[T, T_co]):
    """A flow whose input is open."""

    @property
    def _takes(self) -> Takes[T]: ...
    @property
    def _gives(self) -> T_co: ...
    def into(self, sink: Any, /) -> Any: ...
