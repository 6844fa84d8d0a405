"""Checks of actor classes when they are defined; errors name the class and the attribute.

Without them the mistake would later be a hang, or an error from inside the runtime.
"""

from __future__ import annotations

import inspect
import re
from abc import ABC
from functools import cache

from actors_rs.errors import InvalidArgumentError

__all__ = ["check_definition"]

HOOKS = ("on_receive", "on_start", "on_stop", "on_failure")
SET_BY_PYKKA = frozenset({"actor_ref", "actor_inbox", "actor_stopped", "actor_urn"})
_OURS = re.compile(r"_[a-z][a-z_]*[a-z]_")


def check_definition(kind: type, root: type) -> None:
    """Raise ``InvalidArgumentError`` for a subclass of ``root`` that cannot work."""
    if _is_ours(kind):
        return
    for part in kind.__mro__:
        if not _is_ours(part):
            _check_names(kind, part, root)
    for hook in HOOKS:
        _check_hook(kind, hook)


def _check_names(kind: type, part: type, root: type) -> None:
    for name in vars(part).keys() & (_reserved(root) | SET_BY_PYKKA):
        if name in SET_BY_PYKKA:
            why = "every actor has one of its own by that name, made by its constructor"
        else:
            why = "names of the form _name_ belong to the runtime"
        raise InvalidArgumentError(
            f"class {kind.__qualname__}: '{name}' cannot be defined by {part.__qualname__}, {why}: "
            f"rename it, for instance to '{name.strip('_')}_of_mine'"
        )


def _check_hook(kind: type, hook: str) -> None:
    if inspect.isasyncgenfunction(inspect.unwrap(getattr(kind, hook))):
        raise InvalidArgumentError(
            f"class {kind.__qualname__}: '{hook}' must be a 'def' or an 'async def' that returns, "
            "got an async generator, which nothing iterates: write no 'yield' in it"
        )


@cache
def _reserved(root: type) -> frozenset[str]:
    ours = [part for part in root.__mro__ if _is_ours(part)]
    names = (name for part in ours for name in (*vars(part), *inspect.get_annotations(part)))
    return frozenset(name for name in names if _OURS.fullmatch(name))


def _is_ours(kind: type) -> bool:
    # A class that is made by calling ``type`` says that ``abc`` has made it.
    return kind is ABC or kind.__module__.partition(".")[0] in ("actors_rs", "pykka", "builtins")
