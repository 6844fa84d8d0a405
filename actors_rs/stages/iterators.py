"""What stages do with iterables of the user's: whether they can be drawn at all, and closing them.

A generator that has ended looks like an empty one. Nobody means that: it was used up elsewhere.
What a function of the user's must not return is refused with the same words everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import GeneratorType
from typing import Any

from actors_rs.errors import GraphError

__all__ = ["check_key", "close", "iterator_of", "no_pair", "not_ended"]


def not_ended(iterable: Any, where: str) -> Any:
    """``iterable``, unless it is known that its elements went elsewhere: ``GraphError`` then."""
    if type(iterable) is GeneratorType and iterable.gi_frame is None:
        raise GraphError(
            f"{where}: expected a generator that goes on, got one that has ended: give "
            f"the function that makes it, to run it again ({iterable!r})"
        )
    return iterable


def iterator_of(values: Any, where: str, wanted: str = "an iterable") -> Iterator[Any]:
    """``iter(values)``; where there is none, a ``TypeError`` says what was wanted and what came."""
    try:
        return iter(not_ended(values, where))
    except TypeError:
        if isinstance(values, Iterable):  # its own failure
            raise
        raise TypeError(f"{where}: expected {wanted}, got {values!r}") from None


def no_pair(where: str, wanted: str, came: Any) -> TypeError:
    """The error for a function that did not return the two parts that it has to."""
    return TypeError(f"{where}: expected a pair, {wanted}, got {came!r}")


def check_key(key: Any, where: str) -> None:
    """Raise a ``TypeError`` that says what came if ``key`` has no hash: to be asked behind one."""
    try:
        hash(key)
    except TypeError as error:
        raise TypeError(f"{where}: expected something hashable, got {key!r}") from error


def close(values: Any) -> None:
    """Call ``values.close()`` where there is one; what it raises is the caller's.

    Harmless for generators and files that are closed already. An iterator that nobody closes waits
    for the collector, which a run whose error is kept may put off for long.
    """
    method = getattr(values, "close", None)
    if method is not None:
        method()
