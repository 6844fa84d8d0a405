"""Writes ``docs/operators.md`` from the stages' files: ``python -m tests.pages.operators``.

A stage's file opens with its name and marble line, says in a sentence what it does, and then how it
treats demand and each of its ends. A test compares the page with what this module makes and finds
files that leave something out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from textwrap import dedent

from tests.pages.compositions import COMPOSED, PUTTING_TOGETHER
from tests.pages.marbles.pictures import MARBLES, file_name

ROOT = Path(__file__).resolve().parents[2]
STAGES = ROOT / "actors_rs" / "stages"
PAGE = ROOT / "docs" / "operators.md"

KINDS = {
    "sources": "Sources",
    "operators": "Operators",
    "junctions": "Junctions: several streams into one, one into several",
    "hubs": "Hubs: subscribers and sources that come and go",
    "sinks": "Sinks",
}
PARTS = ("Back-pressure", "Completes", "Fails", "Cancels")
NAME = re.compile(r"[A-Za-z][\w.]*(\(|:|$)", re.MULTILINE)
"""How a stage's file begins; parts of stages begin with a sentence."""
MARBLE = re.compile(r"\s*[a-z]\w*( \d|\(\w+\))?:\s")
"""How a marble line begins, but for a source's, which has one line."""
PART = re.compile(rf"^({'|'.join(PARTS)}): ", re.MULTILINE)

HEAD = """\
<!-- Made from actors_rs/stages by python -m tests.pages.operators: change the files there. -->
# Sources, operators, junctions and sinks

A row is one stage. Combinations of stages come at the end.

In a picture time runs to the right. Tapes above the box go in, tapes below come out: `|` is the
completion, `X` a failure. Signals side by side belong to the same second. A test plays each picture
in virtual time. The word above a picture says what the stage changes: *elements*, *time*,
*failure*, *streams*, or *result* for a single value. Stages without a picture have a marble line.

**Back-pressure** says how the stage requests elements, also while downstream requests none. The
other lines describe its ends: completion, failure, and cancellation by downstream. *Raises* means
that the stage fails, unless `on_failure` sets another policy. A stage works ahead of downstream by
up to a window. A failure within that window is the run's failure, even if a `take` downstream had
enough elements before. If `recover`, `recover_with`, `catch` or `restart` would have handled the
failure, it is a dead letter then.
"""


@dataclass(frozen=True)
class Stage:
    """What a stage's file says of it; a part that it leaves out is empty."""

    file: str
    name: str
    marble: str
    what: str
    parts: dict[str, str]

    def missing(self) -> list[str]:
        """What a reader of the page would look for in vain."""
        said = {"name": self.name, "effect": self.what, **self.parts}
        if kind_of(self.file) != "sinks":
            said["marble line"] = self.marble
        return [f"{self.file}: no {part}" for part, text in said.items() if not text]


def stages(kind: str) -> Iterator[Stage]:
    """The stages of one folder by name, without the files that hold parts of stages."""
    for path in sorted((STAGES / kind).rglob("[!_]*.py"), key=lambda path: path.name):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if NAME.match(ast.get_docstring(tree) or ""):
            yield stage_of(path.relative_to(STAGES).as_posix(), tree)


def stage_of(file: str, tree: ast.Module) -> Stage:
    """Read one file's docstring."""
    return told(file, ast.get_docstring(tree) or "", summary(tree))


def told(file: str, text: str, otherwise: str = "") -> Stage:
    """Read such a text; ``otherwise`` is what the stage does, if the text leaves it out."""
    head, *found = PART.split(text)
    parts = dict.fromkeys(PARTS, "")
    parts |= {name: plain(said) for name, said in zip(found[::2], found[1::2], strict=True)}
    title, _, rest = head.partition("\n")
    name, _, inline = title.partition(": ")
    if name.count("(") != name.count(")"):  # the colon of a lambda
        name, inline = title, ""
    blocks = [block for block in rest.strip("\n").split("\n\n") if block.strip()]
    is_source = kind_of(file) == "sources"
    marbles = blocks[:1] if is_source else list(takewhile(MARBLE.match, blocks))
    what = plain(" ".join([inline, *blocks[len(marbles) :]])) or otherwise
    return Stage(file, name, "\n\n".join(map(trimmed, marbles)), what, parts)


def kind_of(file: str) -> str:
    """The folder that a stage's file lies in."""
    return file.partition("/")[0]


def summary(tree: ast.Module) -> str:
    """The first paragraph of the logic's own docstring, where the file says no more."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            return plain((ast.get_docstring(node) or "").partition("\n\n")[0])
    return ""


def plain(text: str) -> str:
    """``text`` in one line."""
    line = " ".join(text.split())
    return line[:1].upper() + line[1:]


def trimmed(marble: str) -> str:
    """A marble line without the indent that it stands at."""
    lines = marble.splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return "\n".join(line[indent:].rstrip() for line in lines)


def page() -> str:
    """The whole page."""
    sections = [HEAD]
    for kind, title in KINDS.items():
        sections.append(f"## {title}\n")
        sections.append(table(list(stages(kind))))
    composed = [told(file, dedent(" " * 8 + text).strip()) for file, text in COMPOSED]
    sections += ["## Composed of others\n", table(composed)]
    sections += ["## Putting pieces together\n", two_columns(PUTTING_TOGETHER.items())]
    return "\n".join(sections)


def two_columns(rows: Iterable[tuple[str, str]]) -> str:
    """A table of names and what they do."""
    lines = [("", "effect"), ("---", "---"), *rows]
    return "".join(f"| {name} | {what} |\n" for name, what in lines)


def table(rows: Iterable[Stage]) -> str:
    """One table in Markdown: how each stage is called and looks, and what it does."""
    return two_columns((shown(stage), said(stage)) for stage in rows)


def shown(stage: Stage) -> str:
    """Its call and its picture."""
    folder = "actors_rs/stages" if kind_of(stage.file) in KINDS else "actors_rs"
    link = f"[`{cell(stage.name)}`](../{folder}/{stage.file})"
    return link if kind_of(stage.file) == "sinks" else f"{link}<br>{diagram(stage)}"


def said(stage: Stage) -> str:
    """Its effect, then a line for each part."""
    parts = (f"**{part}:** {cell(text)}" for part, text in stage.parts.items() if text)
    return " <br>".join([cell(stage.what), *parts])


def diagram(stage: Stage) -> str:
    """The picture that a test plays, else the marble line; first what the stage changes."""
    marble = MARBLES.get(stage.file.removesuffix(".py"))
    if marble is None or kind_of(stage.file) not in KINDS:
        return f"<pre>{cell(escaped(stage.marble))}</pre>"
    tapes = "; ".join(f"{name}: {tape}" for name, tape in marble.outputs.items())
    alt = cell(escaped(tapes.replace("[", "(").replace("]", ")")))
    file = file_name(stage.file.removesuffix(".py"))
    return f"*{marble.kind}*<br>![{alt}](pictures/marbles/{file})"


def escaped(text: str) -> str:
    """``text`` as HTML shows it, its lines as one."""
    html = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return html.replace("\n", "<br>").replace("*", "&#42;").replace("_", "&#95;")


def cell(text: str) -> str:
    """``text`` within a table's cell, in which a bar would be the next one's beginning."""
    return text.replace("``", "`").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
