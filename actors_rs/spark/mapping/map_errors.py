"""Exceptions of ``spark_map``'s function, put together again on the driver."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from actors_rs.raised import note_once
from actors_rs.spark.mapping.map_worker import Parts
from actors_rs.spark.mapping.missing_modules import advice_on_modules

__all__ = ["revived"]


def revived(parts: Parts) -> BaseException:
    """The exception that a worker sent in ``parts``.

    Its class is kept where the driver can import it, so deciders can tell by it. Attributes are
    kept where they can be pickled. Of another class only the text is left, in a ``RuntimeError``.
    """
    whole, kind, args, attributes, text = parts
    error = _loaded(whole)
    if not isinstance(error, BaseException):
        made = _made_of(_loaded(kind), args, attributes)
        error = made if made is not None else RuntimeError(text)
    if (advice := advice_on_modules(text)) is not None:
        note_once(error, advice)
    return error


def _made_of(kind: Any, args: list[bytes], attributes: dict[str, bytes]) -> BaseException | None:
    """An exception of ``kind``; its ``__init__`` is not called, for it may want other arguments."""
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        return None
    with suppress(Exception):
        values = [_loaded(arg) for arg in args]
        error = kind.__new__(kind, *values)
        error.args = tuple(values)
        error.__dict__.update({name: _loaded(value) for name, value in attributes.items()})
        return error
    return None


def _loaded(pickled: bytes | None) -> object:
    """The object that was ``pickled``; ``None`` if there is none, or if it cannot be read here."""
    from pyspark import cloudpickle

    if pickled is None:
        return None
    try:
        return cloudpickle.loads(pickled)
    except Exception:
        return None
