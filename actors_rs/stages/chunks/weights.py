"""``weight_of``: about how many bytes of memory an element takes.

Buffers know it: ``nbytes`` of arrays and tables, the length of ``bytes``. Of containers and objects
a few parts are weighed and stand for the others. Nothing of the user's runs but an ``nbytes`` or a
``__sizeof__`` of a class; where that raises, the element counts as light.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from itertools import islice
from sys import getsizeof
from types import NoneType
from typing import Any

__all__ = ["LIGHT", "lately", "weight_of"]

LIGHT = 64.0
"""What elements weigh that are numbers, or that cannot be weighed."""
SAMPLE = 4
"""How many parts of a container stand for all of them."""
DEPTH = 3
MOST_FIELDS = 32
_NUMBERS: frozenset[type] = frozenset((int, float, bool, complex, NoneType))


def lately(before: float, weight: float) -> float:
    """The weight to expect of the next element: a heavier one is believed at once, a lighter half.

    >>> lately(100.0, 300.0), lately(300.0, 100.0)
    (300.0, 200.0)
    """
    return max(weight, (before + weight) / 2)


def weight_of(element: Any) -> float:
    """Bytes that ``element`` takes; never raises and never iterates over what is no container.

    >>> weight_of(b"x" * 1_000_000) > 1_000_000
    True
    """
    if type(element) in _NUMBERS:
        return LIGHT
    try:
        return max(LIGHT, _weight(element, DEPTH))
    except Exception:
        return LIGHT


def _weight(element: Any, depth: int) -> float:
    kind = type(element)
    if kind in _NUMBERS:
        return 32.0
    own = float(getsizeof(element))
    if kind is str or kind is bytes or kind is bytearray:
        return own
    if hasattr(kind, "nbytes"):  # of the class: an instance may ask another process
        nbytes = element.nbytes
        return own if type(nbytes) is not int else float(max(own, nbytes))
    if not depth:
        return own
    if isinstance(element, dict):
        return own + _parts(element.keys(), depth) + _parts(element.values(), depth)
    if isinstance(element, list | tuple | set | frozenset):
        return own + _parts(element, depth)
    return own + sum(_weight(part, 0) for part in _fields(element, kind))


def _parts(parts: Collection[Any], depth: int) -> float:
    """What all ``parts`` weigh, if they are like the first and the last."""
    size = len(parts)
    seen = list(islice(parts, SAMPLE))
    if size > SAMPLE and isinstance(parts, list | tuple):
        seen[-1] = parts[-1]
    return sum(_weight(part, depth - 1) for part in seen) * (size / len(seen)) if seen else 0.0


def _fields(element: Any, kind: type) -> Iterable[Any]:
    """The values of its attributes, read without its help; what those refer to may be shared."""
    with suppress(AttributeError):
        yield from islice(tuple(object.__getattribute__(element, "__dict__").values()), MOST_FIELDS)
    for name in islice(getattr(kind, "__slots__", ()), MOST_FIELDS):
        with suppress(AttributeError):  # a slot that was never set
            yield object.__getattribute__(element, name)
