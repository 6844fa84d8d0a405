"""A property that an instance or a subclass may replace with an attribute of the same name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

__all__ = ["overridable"]

T = TypeVar("T")


class overridable(Generic[T]):  # noqa: N801 - used like ``property``
    """As ``property``, for a name that users may take for a field of their own."""

    def __init__(self, read: Callable[[Any], T]) -> None:
        self._read = read
        self.__doc__ = read.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> Self | T:
        return self if instance is None else self._read(instance)
