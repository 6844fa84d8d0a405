"""Blueprints in pickles: a stage that cannot be pickled is named, with the line that made it.

A pickler goes on by itself with what ``__reduce__`` returns, so nobody can tell there what failed.
Therefore each stage is pickled once on trial, by a pickler of the same class (cloudpickle's, if
that is under way), whose output goes nowhere.
"""

from __future__ import annotations

import pickle
import sys
from typing import Any, Protocol, Self

from actors_rs.texts import named

__all__ = ["CopiedAsItself", "check_pickles"]

_PICKLERS = (pickle.Pickler, pickle._Pickler)  # the latter is the one in Python


class CopiedAsItself:
    """An immutable value: a copy of it is itself, so that its functions need not be picklable."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: object) -> Self:
        return self


class _Labelled(Protocol):
    @property
    def label(self) -> str: ...
    @property
    def made(self) -> str: ...


class _StageNotPickled(pickle.PicklingError):
    """Names the stage already; a stage around it has nothing to add."""

    def __reduce__(self) -> tuple[Any, ...]:
        return pickle.PicklingError, self.args


class _Nowhere:
    """A file for what is pickled on trial."""

    def write(self, data: object) -> int:
        return len(data)  # type: ignore[arg-type]  # bytes, or a view of some


def check_pickles(stage: _Labelled, state: object, protocol: int) -> None:
    """Raise ``pickle.PicklingError``, which names ``stage``, if ``state`` cannot be pickled."""
    try:
        _pickler_under_way()(_Nowhere(), protocol).dump(state)
    except _StageNotPickled:
        raise
    except Exception as error:
        raise _StageNotPickled(
            f"stage '{stage.label}'{stage.made} cannot be pickled: {named(error)}. Give it "
            "functions that a module defines, with def at its top level, and values that can be "
            "pickled; cloudpickle.dumps takes lambdas too"
        ) from error


def _pickler_under_way() -> Any:
    """The class of the pickler that has called; that of Python where it has no frame of its own."""
    frame = sys._getframe(2)
    while frame is not None:
        one = frame.f_locals.get("self", frame.f_locals.get("cls"))
        kind = one if isinstance(one, type) else type(one)
        if issubclass(kind, _PICKLERS):
            return kind
        frame = frame.f_back  # type: ignore[assignment]
    return pickle.Pickler
