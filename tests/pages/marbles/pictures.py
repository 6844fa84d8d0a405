"""All diagrams with the names of their files, and the stages that have none."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.pages.marbles.junctions import JUNCTIONS
from tests.pages.marbles.operators import OPERATORS
from tests.pages.marbles.svg import picture

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "docs" / "pictures" / "marbles"
MARBLES = OPERATORS | JUNCTIONS
UNDRAWN = {
    "operators/map_processes": "the picture of map_async; a world has no processes",
    "operators/flat_map_processes": "the picture of flat_map; a world has no processes",
    "junctions/feedback": "a loop has no tape that begins or ends it",
}
"""Stages without a diagram, and the reason."""


def pictures() -> dict[str, str]:
    """File name -> SVG."""
    played = calls()
    return {
        file_name(stage): picture(marble, marble.call or played[stage])
        for stage, marble in MARBLES.items()
    }


def file_name(stage: str) -> str:
    """``operators/map`` -> ``map.svg``."""
    return f"{stage.partition('/')[2]}.svg"


def calls() -> dict[str, str]:
    """Stage -> the call that its description plays, as its lambda says it."""
    found = {}
    for module in ("operators", "junctions"):
        tree = ast.parse((Path(__file__).with_name(f"{module}.py")).read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(value, ast.Call):
                        found[str(key.value)] = call_in(value.args[2])
    return found


def call_in(build: ast.expr) -> str:
    """The text of a lambda's body: a method without the name of the only stream."""
    assert isinstance(build, ast.Lambda), "build is a lambda, whose text is the picture's"
    text = re.sub(r"(?<!\w)_(?=[a-z])", "", ast.unparse(build.body)).replace("'", '"')
    streams = {one.arg for one in build.args.args} - {"sink"}
    return text.removeprefix("a.") if streams == {"a"} else text
