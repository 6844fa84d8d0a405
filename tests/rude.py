"""Objects of users whose own methods raise, exit, return what they must not, or a lot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

HUGE = 2_000_000


def _raises(_: object, *__: object) -> Any:
    raise ValueError("rude")


def _exits(_: object, *__: object) -> Any:
    raise SystemExit("rude")


def _recurs(self: object, *others: object) -> Any:
    # With its arguments spread: CPython 3.13.0 does not count a call that leaves some of them out,
    # and recurs until the memory is gone.
    return _recurs(self, *others)


MANNERS: dict[str, Callable[..., Any]] = {
    "raises": _raises,
    "exits": _exits,
    "recurs": _recurs,
    "returns a number": lambda *_: 7,
    "returns a lot": lambda *_: "x" * HUGE,
}
TEXTS = ("__repr__", "__str__", "__format__")
ALL = (*TEXTS, "__bool__", "__len__", "__eq__", "__hash__", "__lt__", "__getattr__")


def rude(
    manner: str, base: type = object, names: tuple[str, ...] = ALL, asked_for_class: bool = True
) -> type[Any]:
    """A class whose methods of those ``names`` have that ``manner``, as has its ``__class__``."""
    methods: dict[str, Any] = dict.fromkeys(names, MANNERS[manner])
    if asked_for_class:
        methods["__class__"] = property(_raises)
    return type("Rude", (base,), methods)
