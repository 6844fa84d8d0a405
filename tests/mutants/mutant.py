# mypy: disable-error-code="no-any-return"
"""A mutant: a bug as data, put into a function of ours and taken out again.

The text of the function is changed, compiled in its own module and put in its place as its code
object, so that whoever holds the function already runs the mutant too. If the text that is to be
changed is not there exactly once, that is an error: the bug has to be described anew.
"""

import __future__

import ast
import inspect
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

FLAGS = __future__.annotations.compiler_flag


@dataclass(frozen=True)
class Edit:
    """In the function ``where``, as ``module:Class.function``, ``old`` becomes ``new``."""

    where: str
    old: str
    new: str


@dataclass(frozen=True)
class Mutant:
    """``breaks`` says in a sentence what is wrong; ``killers`` name the scenarios that must see it.

    ``model`` instead names a model on real threads, see ``tests/mutants/threads.py``.
    """

    name: str
    breaks: str
    edits: tuple[Edit, ...]
    killers: tuple[str, ...] = ()
    model: str = ""

    @contextmanager
    def applied(self) -> Iterator[None]:
        """In this block the package has the bug."""
        with ExitStack() as applied:
            for where in dict.fromkeys(edit.where for edit in self.edits):
                applied.enter_context(_applied(where, [e for e in self.edits if e.where == where]))
            yield


def mutant(name: str, breaks: str, where: str, old: str, new: str, *killers: str) -> Mutant:
    """One with a single edit; ``where`` is below ``actors_rs``."""
    return Mutant(name, breaks, (Edit(f"actors_rs.{where}", old, new),), killers)


@contextmanager
def _applied(where: str, edits: Sequence[Edit]) -> Iterator[None]:
    function = function_at(where)
    before, code = function.__code__, mutated(function, edits)
    function.__code__ = code
    try:
        yield
    finally:
        function.__code__ = before


def function_at(where: str) -> FunctionType:
    """The function that ``where`` names; raises ``LookupError`` if there is none."""
    module, _, path = where.partition(":")
    found: Any = import_module(module)
    for name in path.split("."):
        space = vars(found)
        if name not in space:
            raise LookupError(f"{where}: there is no '{name}'")
        found = space[name]
    found = found.fget if isinstance(found, property) else found
    if not isinstance(found, FunctionType):
        raise LookupError(f"{where} is no function")
    return found


def mutated(function: FunctionType, edits: Sequence[Edit]) -> CodeType:
    """The code of ``function`` with ``edits``; raises ``LookupError`` if a text is not there."""
    text = textwrap.dedent(inspect.getsource(function))
    for edit in edits:
        if text.count(edit.old) != 1:
            raise LookupError(f"{edit.where} holds {text.count(edit.old)} times: {edit.old!r}")
        text = text.replace(edit.old, edit.new)
    tree = ast.parse(text)
    ast.increment_lineno(tree, function.__code__.co_firstlineno - 1)
    definition: Any = tree.body[0]
    definition.decorator_list = []
    free = function.__code__.co_freevars
    made: dict[str, Any] = {}
    exec(compile(_inside_of(free, tree), inspect.getfile(function), "exec", FLAGS), {}, made)
    code = made["made"](*free).__code__
    if code.co_freevars != free:
        where = edits[0].where
        raise LookupError(f"{where}: the mutant must use what the function uses, {free}")
    return code


def _inside_of(free: tuple[str, ...], tree: ast.Module) -> ast.Module:
    """The definition inside of a function whose variables are ``free`` in it, for ``super``."""
    definition: Any = tree.body[0]
    outer = ast.parse(f"def made({', '.join(free)}):\n    return {definition.name}")
    outer.body[0].body.insert(0, definition)  # type: ignore[attr-defined]
    return ast.fix_missing_locations(outer)
