"""Arguments of public names that no docstring explains. Takes objects, returns names."""

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from textwrap import dedent
from types import ModuleType

from tests.conventions.faces import assigned_names, is_method, is_ours, is_string

SELF_EXPLAINING = {"self", "cls", "args", "kwargs", "_"}


def unexplained(name: str, thing: object, others: Iterable[object] = ()) -> list[str]:
    """``name(argument)`` for each argument that the docstring does not mention.

    The docstring of a class explains the arguments of its constructor. Methods that the class
    inherits from one of ``others`` are left out.
    """
    return [
        f"{called}({argument})"
        for called, function, text in documented_calls(name, thing, others)
        for argument in arguments_of(function)
        if not re.search(rf"(?<![\w.]){re.escape(argument)}(?!\w)", text)
    ]


def documented_calls(
    name: str, thing: object, others: Iterable[object] = ()
) -> Iterator[tuple[str, object, str]]:
    """The calls that this name stands for: (name, function, the docstring that explains it)."""
    if not inspect.isclass(thing):
        if inspect.isfunction(thing):
            yield name, thing, inspect.getdoc(thing) or ""
        return
    if "__init__" in vars(thing):
        constructor = vars(thing)["__init__"]
        said = (inspect.getdoc(thing), inspect.getdoc(constructor), *fields_explained(thing))
        yield name, constructor, " ".join(map(str, said))
    ours = {member for base in thing.__mro__ if is_ours(base, thing) for member in vars(base)}
    public = [base for base in thing.__mro__[1:] if base in others]
    ours -= {
        one for one in ours for base in public if getattr(base, one, ours) is getattr(thing, one)
    }
    for member in sorted(one for one in ours if not one.startswith("_")):
        found = inspect.getattr_static(thing, member)
        if is_method(found) and not isinstance(found, property):
            function = getattr(thing, member)
            yield f"{name}.{member}", function, inspect.getdoc(function) or ""


def fields_explained(thing: type) -> set[str]:
    """The fields of a class, and of the classes it inherits from, with a docstring below each."""
    names: set[str] = set()
    for base in thing.__mro__:
        if is_ours(base, thing):
            (tree,) = ast.parse(dedent(inspect.getsource(base))).body
            body = tree.body if isinstance(tree, ast.ClassDef) else []
            for node, after in pairwise(body):
                names |= assigned_names(node) if is_string(after) else set()
    return names


def arguments_of(function: object) -> list[str]:
    """The names of the arguments that a caller of the function writes or fills."""
    try:
        signature = inspect.signature(function)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return []
    return [
        name
        for name, one in signature.parameters.items()
        if name not in SELF_EXPLAINING
        and not name.startswith("_")
        and one.kind not in (one.VAR_KEYWORD, one.POSITIONAL_ONLY)
    ]


def public_things(faces: list[ModuleType]) -> dict[str, object]:
    """Full name -> class or function, of everything that faces list in ``__all__``."""
    return {
        f"{face.__name__}.{name}": getattr(face, name)
        for face in faces
        for name in getattr(face, "__all__", ())
    }
