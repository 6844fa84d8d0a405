"""Public names without an example in a docstring. Takes objects, returns names."""

import inspect
import re
from collections.abc import Iterator

from tests.conventions.faces import is_method, is_ours

PROMPT = re.compile(r"^\s*(?:>>>|\.\.\.) (.*)$", re.MULTILINE)


def without_example(name: str, thing: object) -> list[str]:
    """The function or class, and the public methods of a class, that no example shows.

    A method is shown by an example in its own docstring, or by a use in an example of its class.
    An exception needs none: users catch it, and do not make it.
    """
    shown = code_in(thing)
    if not inspect.isclass(thing):
        return [name] * (inspect.isroutine(thing) and not shown)
    if issubclass(thing, BaseException):
        return []
    methods = list(_methods(thing))
    missing = [
        f"{name}.{member}"
        for member, function in methods
        if not code_in(function) and not re.search(rf"\b{member}\b", shown)
    ]
    # A class of factories, whose methods all have examples, needs none of its own.
    is_shown = shown or (methods and len(missing) < len(methods))
    return [name] * (not is_shown) + missing


def code_in(thing: object) -> str:
    """The lines after the prompts of a docstring's examples."""
    return "\n".join(PROMPT.findall(inspect.getdoc(thing) or ""))


def _methods(thing: type) -> Iterator[tuple[str, object]]:
    ours = {member for base in thing.__mro__ if is_ours(base, thing) for member in vars(base)}
    for member in sorted(ours):
        found = inspect.getattr_static(thing, member)
        if not member.startswith("_") and is_method(found):
            yield member, getattr(thing, member)
