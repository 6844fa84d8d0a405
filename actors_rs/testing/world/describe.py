"""A message or element in words that are the same in every process and on every Python version.

``repr`` would show addresses and the order of sets. What a value of a foreign class holds is
shown for dataclasses alone; of others only the class is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from actors_rs.graph.shell import Signal
from actors_rs.stages.ports import Inlet, Outlet

__all__ = ["Describer"]

_PLAIN = frozenset({int, str, bool, float, bytes, complex, type(None), range})
DEEPEST = 6


class Describer:
    """Describes the messages of one world; ports are numbered as they are seen."""

    def __init__(self) -> None:
        self._ports: dict[int, str] = {}
        self._kept: list[object] = []  # a port's number is of use while nobody takes its id over

    def message(self, message: Any) -> str:
        """A message of a mailbox."""
        if isinstance(message, Signal):
            name, slots = _SHAPES.get(type(message)) or _shape(type(message))
            for slot in slots:
                value = getattr(message, slot, None)
                form = _FORMS.get(type(value))
                name += " " + (form(self, value, 1) if form is not None else self.value(value))
            return name
        return self.value(message)

    def value(self, value: Any, depth: int = 0) -> str:
        """Any value."""
        kind = type(value)
        if kind in _PLAIN:
            return repr(value)
        if depth > DEEPEST:
            return kind.__name__
        if (form := _FORMS.get(kind)) is not None:
            return form(self, value, depth + 1)
        if isinstance(value, BaseException):
            return f"{kind.__name__}({self._many(value.args, depth + 1)})"
        if isinstance(value, type):
            return value.__name__
        if is_dataclass(value):
            shown = (
                f"{field.name}={self.value(getattr(value, field.name, None), depth + 1)}"
                for field in fields(value)
            )
            return f"{kind.__name__}({', '.join(shown)})"
        if isinstance(value, tuple):  # a named one
            return f"{kind.__name__}({self._many(value, depth + 1)})"
        return kind.__name__

    def _many(self, values: Any, depth: int) -> str:
        return ", ".join([self.value(one, depth) for one in values])

    def _frame(self, values: Any, depth: int) -> str:
        for one in values:
            if type(one) is not int:
                return f"[{self._many(values, depth)}]"
        return str(list(values))

    def _set(self, values: Any, depth: int) -> str:
        return "{" + ", ".join(sorted(self.value(one, depth) for one in values)) + "}"

    def _mapping(self, values: Mapping[Any, Any], depth: int) -> str:
        shown = (f"{self.value(k, depth)}: {self.value(v, depth)}" for k, v in values.items())
        return "{" + ", ".join(shown) + "}"

    def _port(self, port: Inlet | Outlet, depth: int) -> str:
        known = self._ports.get(id(port))
        if known is None:
            known = self._ports[id(port)] = f"{port.name}.{len(self._ports) + 1}"
            self._kept.append(port)
        return known

    def _function(self, function: Any, depth: int) -> str:
        return str(function.__qualname__)

    def _partial(self, bound: partial[Any], depth: int) -> str:
        return f"{self.value(bound.func, depth)}({self._many(bound.args, depth)})"


_SHAPES: dict[type[Signal], tuple[str, list[str]]] = {}


def _shape(kind: type[Signal]) -> tuple[str, list[str]]:
    """What a kind of signal is called, and what it holds."""
    slots = [name for base in kind.__mro__ for name in getattr(base, "__slots__", ())]
    _SHAPES[kind] = shape = (kind.__name__.strip("_").lower(), slots)
    return shape


_FORMS: dict[type, Callable[[Describer, Any, int], str]] = {
    list: Describer._frame,
    tuple: Describer._frame,
    set: Describer._set,
    frozenset: Describer._set,
    dict: Describer._mapping,
    Inlet: Describer._port,
    Outlet: Describer._port,
    FunctionType: Describer._function,
    MethodType: Describer._function,
    partial: Describer._partial,
}
