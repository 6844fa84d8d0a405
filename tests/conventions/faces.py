"""What the package shows: a face is a package's `__init__.py`, its exports are the public names.

The checks are pure: they take texts or objects and return sentences, one for each violation.
"""

import ast
import inspect
from collections import defaultdict
from collections.abc import Iterable, Mapping

PACKAGE = "actors_rs"


def listed_in_all(tree: ast.Module) -> set[str]:
    """The names in the module's `__all__`, empty without one."""
    lists = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    return {name for value in lists for name in ast.literal_eval(value)}


def exports_of(text: str) -> set[str]:
    """The public names a face exports: `X as X`, in `__all__`, or defined in the face itself."""
    tree = ast.parse(text)
    names = listed_in_all(tree)
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.name for alias in node.names if alias.asname == alias.name}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        else:
            names |= assigned_names(node)
    return {name for name in names if not name.startswith("_")}


def assigned_names(node: ast.stmt) -> set[str]:
    """The plain names that an assignment binds, empty for any other statement."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def half_exported(face: str, text: str) -> list[str]:
    """Names of our own that a face imports without saying that it exports them."""
    tree = ast.parse(text)
    listed = listed_in_all(tree)
    return [
        f"{face}:{node.lineno}: write '{alias.name} as {alias.name}' to export it"
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        if node.level or (node.module or "").split(".")[0] == PACKAGE
        for alias in node.names
        if alias.asname is None and alias.name not in listed
    ]


def logic_in(face: str, text: str) -> list[str]:
    """Statements of a face beyond its docstring, imports and names with two underscores."""
    return [
        f"{face}:{node.lineno}: a face holds no logic, found {type(node).__name__}"
        for node in ast.parse(text).body[1:]
        if not isinstance(node, ast.Import | ast.ImportFrom)
        if not all(name.startswith("__") for name in assigned_names(node) or {"logic"})
    ]


def exported_twice(exports: Mapping[str, Iterable[str]]) -> list[str]:
    """Names that more than one face exports, whatever stands behind them."""
    faces_of = defaultdict(list)
    for face, names in exports.items():
        for name in names:
            faces_of[name].append(face)
    return [
        f"{name} is exported by {' and '.join(sorted(faces))}: choose one"
        for name, faces in sorted(faces_of.items())
        if len(faces) > 1
    ]


def has_own_docstring(thing: object) -> bool:
    """Whether somebody wrote this object's docstring; one made up by a decorator does not count."""
    written = getattr(thing, "__doc__", None) or ""
    generated = inspect.isclass(thing) and written.startswith(f"{thing.__name__}(")
    return bool(written.strip()) and not generated


def undocumented(name: str, thing: object) -> list[str]:
    """The function or class and those of its public methods that have no docstring.

    A method that overrides a documented one is documented by it.
    """
    missing = [] if has_own_docstring(thing) else [name]
    if inspect.isclass(thing):
        ours = {member for base in thing.__mro__ if is_ours(base, thing) for member in vars(base)}
        missing += [
            f"{name}.{member}"
            for member in sorted(ours)
            if not member.startswith("_") and is_method(inspect.getattr_static(thing, member))
            if not inspect.getdoc(getattr(thing, member))
        ]
    return missing


def is_ours(base: type, thing: type) -> bool:
    """Whether the class that `thing` inherits from lies in the same top-level package."""
    return base.__module__.split(".")[0] == thing.__module__.split(".")[0]


def is_method(member: object) -> bool:
    """Whether a class attribute is a method or property, not data."""
    return inspect.isroutine(member) or isinstance(member, property | classmethod | staticmethod)


def documented_values(text: str) -> set[str]:
    """Module-level names explained by a string below the assignment or a `#:` comment above."""
    lines, body = text.splitlines(), ast.parse(text).body
    found: set[str] = set()
    for node, after in zip(body, [*body[1:], None], strict=True):
        above = lines[node.lineno - 2].lstrip() if node.lineno > 1 else ""
        if above.startswith("#:") or is_string(after):
            found |= assigned_names(node)
    return found


def is_string(node: ast.stmt | None) -> bool:
    """Whether the statement is nothing but a string."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def home_of(module: str, name: str, modules: Mapping[str, str]) -> str:
    """The module that defines the name, found by following `from ... import` through ours."""
    for node in ast.parse(modules[module]).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module in modules:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return home_of(node.module, alias.name, modules)
    return module
