"""What stages do with iterables of the user: check whether they can be drawn, and close them.

An iterator that has ended looks like an empty one. No user means that: other code used it up. A
generator says so itself, others are known by the end that a run has seen. All stages refuse a wrong
return value of a user's function with the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import GeneratorType
from typing import Any

from actors_rs.errors import GraphError
from actors_rs.texts import repr_of

__all__ = [
    "Rest",
    "check_key",
    "close",
    "iterator_of",
    "no_pair",
    "not_ended",
    "once",
    "used_up",
]


def not_ended(iterable: Any, where: str) -> Any:
    """``iterable``, unless it is known that its elements went elsewhere: ``GraphError`` then."""
    if type(iterable) is GeneratorType and iterable.gi_frame is None:
        raise used_up(where, "a generator", iterable)
    return iterable


class Rest:
    """An iterator for one run after another, each of which gets what earlier runs have left.

    A call gives the iterator to draw. If a run has seen the end, and noted it in ``ended``, the
    next run must find more, as in a file that has grown; otherwise it raises ``GraphError``. The
    flag is plain: runs at the same time share the elements in any order anyway.
    """

    __slots__ = ("_iterator", "_where", "ended")

    def __init__(self, iterator: Iterator[Any], where: str) -> None:
        self._iterator = iterator
        self._where = where
        self.ended = False

    def __call__(self) -> Iterator[Any]:
        if not self.ended:
            return self._iterator
        rest = once(iterator_of(self._iterator, self._where))
        for first in rest:
            return _begun(first, rest)
        raise used_up(self._where, "an iterator", self._iterator)


def once(iterator: Iterator[Any]) -> Iterator[Any]:
    """``iterator``, which ``iter`` may be called with again; it is closed at the end of this.

    One of a class of the user's may begin anew each time.
    """
    try:
        for element in iterator:  # noqa: UP028 - ``yield from`` would close it a second time
            yield element
    finally:
        close(iterator)


def _begun(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    """``first``, which has been drawn, and ``rest``; both end together."""
    try:
        yield first
        yield from rest
    finally:
        close(rest)


def used_up(where: str, kind: str, iterator: Any) -> GraphError:
    """The error for an iterator of that ``kind`` whose elements went elsewhere."""
    return GraphError(
        f"{where}: expected {kind} that goes on, got one that has ended: give the function that "
        f"makes it, to run it again ({repr_of(iterator)})"
    )


def iterator_of(values: Any, where: str, wanted: str = "an iterable") -> Iterator[Any]:
    """``iter(values)``; where there is none, a ``TypeError`` says what was wanted and what came."""
    try:
        return iter(not_ended(values, where))
    except TypeError:
        if isinstance(values, Iterable):  # its own failure
            raise
        raise TypeError(f"{where}: expected {wanted}, got {repr_of(values)}") from None


def no_pair(where: str, wanted: str, came: Any) -> TypeError:
    """The error for a function that did not return the two parts that it has to."""
    return TypeError(f"{where}: expected a pair, {wanted}, got {repr_of(came)}")


def check_key(key: Any, where: str) -> None:
    """Raise a ``TypeError`` that names the value if ``key`` has no hash; call it after an error."""
    try:
        hash(key)
    except TypeError as error:
        raise TypeError(f"{where}: expected something hashable, got {repr_of(key)}") from error


def close(values: Any) -> None:
    """Call ``values.close()`` where there is one; the caller handles its exceptions.

    Harmless for generators and files that are closed already. An iterator that no code closes waits
    for the garbage collector, and a kept error of a run may delay that for long.
    """
    method = getattr(values, "close", None)
    if method is not None:
        method()
