"""Initial values: each run begins with a copy of its own."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any, Generic, TypeVar

from actors_rs.graph.checks import wrong_kind
from actors_rs.texts import repr_of

__all__ = ["Always", "begun", "copies_of"]

R = TypeVar("R")
L = TypeVar("L")
_IMMUTABLE = (int, float, complex, str, bytes, type(None))


class Always(Generic[R]):
    """A function that gives always the same value, for any arguments.

    Small, for there may be one for each of a million groups; and unlike a lambda it can be pickled.
    """

    __slots__ = ("_value",)

    def __init__(self, value: R) -> None:
        self._value = value

    def __call__(self, *_: object) -> R:
        return self._value


def copies_of(init: R, what: str, instead: str, name: str = "init") -> Callable[[], R]:
    """Gives a deep copy of ``init`` as it is now, a new one in each call.

    Raises ``TypeError``, which calls it ``name``, if it cannot be copied; ``instead`` is what to
    use then.
    """
    if isinstance(init, _IMMUTABLE):
        return Always(init)
    try:
        kept = deepcopy(init)
    except Exception as error:
        raise wrong_kind(
            f"{what}: {name} must be something that can be copied, as each run begins with a copy "
            f"of its own, got {repr_of(init)}; give {instead} a function that makes it"
        ) from error
    return partial(deepcopy, kept)


def begun(kind: Callable[..., L], make_init: Callable[[], Any], *others: Any) -> L:
    """A fresh logic of ``kind``, which begins with what ``make_init`` gives."""
    return kind(make_init(), *others)
