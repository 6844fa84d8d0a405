"""The files of a source distribution: what git tracks, and nothing that lies beside it.

Hatchling takes whatever a ``.gitignore`` does not name, so a note or a dump in somebody's working
tree would be published. ``pyproject.toml`` names this file as a build hook.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GENERATED = "PKG-INFO"
"""Written by Hatchling into each source distribution, also into one made of another."""


class TrackedFiles(BuildHookInterface[Any]):
    """Adds the files to a build that would take ``pyproject.toml`` alone."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by Hatchling before it collects files."""
        build_data["force_include"].update({name: name for name in tracked_files(Path(self.root))})


def tracked_files(root: Path) -> list[str]:
    """The files below ``root`` that git tracks and that are there, as paths from ``root``.

    Without a repository, ``root`` is an unpacked source distribution: all of its files.
    Raises ``RuntimeError`` where there is a repository that git cannot read.
    """
    if not (root / ".git").exists():
        files = (path for path in root.rglob("*") if path.is_file() and path.name != GENERATED)
        names = (path.relative_to(root) for path in files)
        return sorted(str(name) for name in names if _is_source(name))
    command = ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z"]
    try:
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        why = getattr(error, "stderr", None) or error
        raise RuntimeError(
            f"expected git to list the files of {root} for the source distribution, got: {why}"
        ) from error
    return [name for name in listed.split("\0") if name and (root / name).is_file()]


def _is_source(name: Path) -> bool:
    """Whether it is no product of having run or built what is there."""
    products = {"build", "dist", "__pycache__"}
    return not products & set(name.parts) and not name.parts[0].startswith(".venv")


def get_build_hook() -> type[BuildHookInterface[Any]]:
    """What Hatchling asks for."""
    return TrackedFiles
