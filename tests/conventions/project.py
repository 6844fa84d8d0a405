"""Where the project's files lie: what the convention tests read."""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "actors_rs"
CODE_FOLDERS = (PACKAGE, "tests", "examples", "stress")
TEXT_SUFFIXES = {".cfg", ".ini", ".json", ".md", ".py", ".sh", ".toml", ".txt", ".yaml", ".yml"}
TEXT_NAMES = {"Makefile", "run", ".gitignore"}
NOT_OURS = {"build", "dist", "__pycache__", "metastore_db", "spark-warehouse"}
DOT_FOLDERS_OF_OURS = {".ci", ".github"}


def is_ours(folder: str) -> bool:
    """Whether a folder of this name holds the project's own files, not what a tool left there."""
    if folder.startswith("."):
        return folder in DOT_FOLDERS_OF_OURS
    return folder not in NOT_OURS and not folder.endswith(".egg-info")


def files_below(folder: Path) -> Iterator[Path]:
    """The project's own files below `folder`, in a fixed order."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(filter(is_ours, folders))
        yield from (Path(here, name) for name in sorted(names))


def shown(path: Path) -> str:
    """The path as a message shows it: from the project's root."""
    return path.relative_to(ROOT).as_posix()


@cache
def code_files() -> dict[str, str]:
    """Path from the root -> text, of every Python file of ours."""
    paths = [path for folder in CODE_FOLDERS for path in files_below(ROOT / folder)]
    paths += sorted(ROOT.glob("*.py"))
    return {shown(path): path.read_text("utf-8") for path in paths if path.suffix == ".py"}


@cache
def text_files() -> dict[str, str]:
    """Path from the root -> text, of every file somebody wrote for people or tools to read."""
    return {
        shown(path): path.read_text("utf-8")
        for path in files_below(ROOT)
        if path.suffix in TEXT_SUFFIXES or path.name in TEXT_NAMES
    }


def module_name(path: str) -> str:
    """`actors_rs/engine/links.py` -> `actors_rs.engine.links`; a package's face -> the package."""
    parts = path.removesuffix(".py").split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_modules() -> dict[str, str]:
    """Module name -> text, of every module of the package."""
    return {module_name(path): text for path, text in code_files().items() if in_package(path)}


def package_faces() -> dict[str, str]:
    """Package name -> text of its `__init__.py`, of the package and every public one inside."""
    inits = {path: text for path, text in code_files().items() if path.endswith("/__init__.py")}
    named = {module_name(path): text for path, text in inits.items() if in_package(path)}
    return {name: text for name, text in named.items() if "._" not in name}


def in_package(path: str) -> bool:
    """Whether the path lies in the package itself."""
    return path.startswith(f"{PACKAGE}/")
