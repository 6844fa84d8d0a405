"""A message or element in words that are the same in every process and on every Python version.

``repr`` would show addresses and the order of sets. The contents of a value are shown for
dataclasses, for common value classes of Python, and for classes derived from those; for others only
the class.
"""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache, partial
from operator import attrgetter
from pathlib import PurePath
from types import FunctionType, MethodType
from typing import Any, NamedTuple
from uuid import UUID

from actors_rs.delivery.ack import Tracked
from actors_rs.engine.links import Arrived, Requested, Signal, _Ended
from actors_rs.runtime.actors.actor_ref import Ask
from actors_rs.stages.chunks.views import VIEWS
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.testing.world.peers import PeerSignal

__all__ = ["Describer"]

_INTEGERS = {int}
_PLAIN = frozenset({int, str, bool, float, bytes, complex, type(None), range})
DEEPEST = 6
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""In the text of an exception it comes from the ``repr`` of an object."""


class _Described(NamedTuple):
    """Stands for a value."""

    text: str


class Describer:
    """Describes the messages of one world. ``ports`` gives names for ports, by their ids."""

    def __init__(self, ports: Callable[[], dict[int, str]]) -> None:
        self._ports_now = ports
        self._ports: dict[int, str] = {}

    def message(self, message: Any) -> str:
        """A message of a mailbox."""
        if not isinstance(message, Signal):
            return self.value(message)
        if type(message) is PeerSignal:
            return " ".join([message.kind, *map(self.value, message.args)])
        word, values = _shape(type(message))
        words = [word]
        for value in values(message):
            form = _FORMS.get(type(value))
            words.append(form(self, value, 1) if form is not None else self.value(value))
        return " ".join(words)

    def keys(self, taken: Iterable[tuple[int, int, Any]], histories: list[int]) -> None:
        """Fold each message into the number of its history, alike for those described alike.

        ``taken`` are messages, each after its step and the number of its history.
        """
        for _, number, message in taken:
            # The most frequent ones, without a call; within a stage the names of ports differ.
            if (kind := type(message)) is Arrived:
                frame = message.frame
                if type(frame) is list:
                    one = frame[0] if len(frame) == 1 else None
                    # The hash of -1 is that of -2, here and below.
                    frame = one if type(one) is int and one != -1 else self._key_of(frame)
                elif type(frame) is not range or frame.start < 0 or frame.step < 0:
                    frame = self._key_of(frame)
                histories[number] = hash((histories[number], message.inlet.name, frame))
            elif kind is Requested:
                # The other way round: an inlet and an outlet may have the same name.
                histories[number] = hash((histories[number], message.n, message.outlet.name))
            elif kind is _Ended and message.error is None:
                histories[number] = hash((histories[number], message.inlet.name, None))
            elif kind is PeerSignal:
                args = tuple(map(self._key_of, message.args))
                histories[number] = hash((histories[number], message.kind, args))
            else:
                histories[number] = hash((histories[number], self._key_of_other(message)))

    def _key_of_other(self, message: Any) -> Any:
        if not isinstance(message, Signal):
            return self.value(message)
        word, values = _shape(type(message))
        return word, *map(self._key_of, values(message))

    def _key_of(self, value: Any) -> Any:
        """Something hashable, equal for values that are described alike."""
        kind = type(value)
        if kind is int and value != -1:  # not of all that is plain: 1, True and 1.0 are equal
            return value
        if kind is list and set(map(type, value)) == _INTEGERS and -1 not in value:
            return tuple(value)
        if kind is Inlet or kind is Outlet:
            return value.name
        return self.value(value)

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
            return _ADDRESS.sub("", f"{kind.__name__}({self._many(value.args, depth + 1)})")
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
        return self._inherited(kind, value, depth + 1)

    def _inherited(self, kind: type, value: Any, depth: int) -> str:
        """As a value of the class that ``kind`` is derived from, whose methods it may replace."""
        bases = (Enum,) if issubclass(kind, Enum) else kind.__mro__
        form = next((_INHERITED[base] for base in bases if base in _INHERITED), None)
        if form is None:
            return kind.__name__
        try:
            return f"{kind.__name__}({form(self, value, depth)})"
        except Exception:  # a time zone of the user's that cannot tell its offset
            return kind.__name__

    def described(self, value: Any, depth: int = 0) -> Any:
        """A copy that has the description of ``value``, without its objects; lists stay as long."""
        kind = type(value)
        if kind in _PLAIN or kind is Inlet or kind is Outlet:  # a port's name may change
            return value
        if depth < DEEPEST:
            if kind in VIEWS:
                return [self.described(one, depth + 1) for one in value]
            if kind is list or kind is tuple:
                return kind([self.described(one, depth + 1) for one in value])
            if kind is partial:
                return partial(value.func, *[self.described(one, depth + 1) for one in value.args])
            if kind is Tracked:
                return Tracked(self.described(value.value, depth + 1), value.token)
        return _Described(self.value(value, depth))

    def _many(self, values: Any, depth: int) -> str:
        return ", ".join(
            [repr(one) if type(one) in _PLAIN else self.value(one, depth) for one in values]
        )

    def _frame(self, values: Any, depth: int) -> str:
        if len(values) == 1 and type(values[0]) is int:
            return f"[{values[0]}]"
        return f"[{self._many(values, depth)}]"

    def _set(self, values: Any, depth: int) -> str:
        return "{" + ", ".join(sorted(self.value(one, depth) for one in values)) + "}"

    def _mapping(self, values: Mapping[Any, Any], depth: int) -> str:
        return self._pairs(values.items(), depth)

    def _pairs(self, pairs: Iterable[tuple[Any, Any]], depth: int) -> str:
        shown = (f"{self.value(k, depth)}: {self.value(v, depth)}" for k, v in pairs)
        return "{" + ", ".join(shown) + "}"

    def _port(self, port: Inlet | Outlet, depth: int) -> str:
        known = self._ports.get(id(port))
        if known is None:
            self._ports.update(self._ports_now())
            known = self._ports.setdefault(id(port), port.name)  # one that came and went
        return known

    def _function(self, function: Any, depth: int) -> str:
        return str(function.__qualname__)

    def _asked(self, ask: Ask, depth: int) -> str:
        """A question, or what a proxy asks for: not what was answered."""
        return f"Ask({self.value(ask.message, depth)})"

    def _text(self, value: _Described, depth: int) -> str:
        return value.text

    def _partial(self, bound: partial[Any], depth: int) -> str:
        return f"{self.value(bound.func, depth)}({self._many(bound.args, depth)})"


def _shape_of(kind: type[Signal]) -> tuple[str, Callable[[Any], tuple[Any, ...]]]:
    """The name of a kind of signal, and a getter of all its fields."""
    held = [name for base in kind.__mro__ for name in getattr(base, "__slots__", ())]
    slots = [name for name in held if name != "member"]  # that is the receiver
    return kind.__name__.strip("_").lower(), _getter(slots)


_shape: Callable[[Any], tuple[str, Callable[[Any], tuple[Any, ...]]]] = cache(_shape_of)


def _getter(slots: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(slots) > 1:
        return attrgetter(*slots)
    return lambda message: tuple([getattr(message, slot) for slot in slots])


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
    Ask: Describer._asked,
    _Described: Describer._text,
    **dict.fromkeys(VIEWS, Describer._frame),
}

_INHERITED: dict[type, Callable[[Describer, Any, int], str]] = {
    Enum: lambda _, value, __: str(value._name_ or value._value_),
    int: lambda _, value, __: int.__repr__(value),
    float: lambda _, value, __: float.__repr__(value),
    complex: lambda _, value, __: complex.__repr__(value),
    str: lambda _, value, __: str.__repr__(value),
    bytes: lambda _, value, __: bytes.__repr__(value),
    bytearray: lambda _, value, __: repr(bytes(value)),
    Decimal: lambda _, value, __: Decimal.__str__(value),
    Fraction: lambda _, value, __: Fraction.__str__(value),
    datetime: lambda _, value, __: datetime.isoformat(value),
    date: lambda _, value, __: date.isoformat(value),
    time: lambda _, value, __: time.isoformat(value),
    timedelta: lambda _, value, __: timedelta.__str__(value),
    UUID: lambda _, value, __: UUID.__str__(value),
    PurePath: lambda _, value, __: PurePath.as_posix(value),
    list: lambda self, value, depth: self._many(list.__iter__(value), depth),
    deque: lambda self, value, depth: self._many(deque.__iter__(value), depth),
    set: lambda self, value, depth: self._set(set.__iter__(value), depth),
    frozenset: lambda self, value, depth: self._set(frozenset.__iter__(value), depth),
    OrderedDict: lambda self, value, depth: self._pairs(OrderedDict.items(value), depth),
    dict: lambda self, value, depth: self._pairs(dict.items(value), depth),
}
"""How to show values of these classes, and of classes derived from them."""
