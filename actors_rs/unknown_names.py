"""Answers to a name that a class does not have: the class's own name for the same thing.

Users come from other libraries and guess: ``Sink.foreach``, ``flow.mapAsync``, ``Source.read_csv``.
A class lists in ``_instead_`` its own names for them. A name that differs from one of ours by case,
underscores or a slip of the pen is found without that. Only a lookup that fails comes here, and the
sentence is made when it is read: ``hasattr`` costs no search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from actors_rs.texts import nearest, plain_name, repr_of

__all__ = ["Suggesting", "UnknownName", "table"]


class UnknownName(AttributeError):  # noqa: N818 - shown as what it is to Python
    """``owner`` has no attribute ``name``; the text names the attribute that does the same."""

    def __init__(self, owner: type, name: str) -> None:
        super().__init__(name=name)
        self.owner = owner

    def __str__(self) -> str:
        return _sentence(self.owner, self.name or "")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.owner, self.name)


class Suggesting(type):
    """The metaclass of classes whose static methods are looked for by the names of neighbours."""

    if not TYPE_CHECKING:  # or type checkers would accept any name

        def __getattr__(cls, name: str) -> Any:
            raise UnknownName(cls, name)


def table(*rows: tuple[str, str]) -> dict[str, str]:
    """The advice for each unknown name, from rows of the names and the advice."""
    return {plain_name(name): advice for names, advice in rows for name in names.split()}


def _sentence(owner: type, name: str) -> str:
    missing = f"{getattr(owner, '_known_as_', owner.__name__)} has no attribute '{name}'"
    if name.startswith("_"):
        return missing
    ours = {plain_name(known): known for known in dir(owner) if known[0] != "_"}
    if name in ours.values():  # a property of ours, or of a subclass of the user's
        return f"'{name}' of {owner.__name__} raised an AttributeError itself"
    instead: dict[str, str] = getattr(owner, "_instead_", {})
    plain = plain_name(name)
    if plain in ours:
        return f"{missing}: did you mean '{ours[plain]}'?"
    if plain in instead:
        return f"{missing}: write {instead[plain]}"
    alike = nearest(plain, [*ours, *instead])
    means = [ours[one] if one in ours else instead[one] for one in alike]
    calls = tuple(f"{ours[one]}(" for one in alike if one in ours)
    others = dict.fromkeys(one for one in means if not one.startswith(calls))
    if others:
        return f"{missing}: did you mean {' or '.join(map(repr_of, others))}?"
    return f"{missing}: help({owner.__name__}) lists what there is"
