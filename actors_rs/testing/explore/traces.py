"""Traces: the decisions that make a run again, as one word and as files.

A trace names the graph it was made for, by the actors that were started before anything ran, and
the choices that were not dull.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.testing.decisions import TraceMisfit
from actors_rs.texts import repr_of, text_of

__all__ = ["VERSION", "Trace", "add_schedule", "graph_id", "load_schedules", "schedule_file"]

VERSION = 1
"""Of the format, and of what the numbers of decisions stand for."""
_DECISIONS = re.compile(r"([0-9]{1,9}=[0-9]{1,19}(,|$))*")  # no sequence is longer

_PLAIN_NAME = re.compile(r"[\w./-]+(::\w+)*(\[[\w-]*(/[\w-]+( [\w-]+)*)?\])?")
"""Of tests whose file is theirs alone: parameters are one word, or ``theme/some words``."""
LONGEST_NAME = 200


@dataclass(frozen=True)
class Trace:
    """The decisions of one run. ``str`` makes the word that ``parse`` reads."""

    graph: str
    deviations: Mapping[int, int]

    def __str__(self) -> str:
        made = ",".join(f"{number}={taken}" for number, taken in sorted(self.deviations.items()))
        return f"v{VERSION}:{self.graph}:{made}"

    @classmethod
    def parse(cls, word: str) -> Trace:
        """The trace written as ``word``; raises ``InvalidArgumentError`` if it is none of ours."""
        if not isinstance(word, str):
            raise ArgumentTypeError(f"a trace is parsed from a word, got {repr_of(word)}")
        version, _, rest = word.strip().partition(":")
        graph, colon, made = rest.partition(":")
        if not colon or not version.startswith("v"):
            raise InvalidArgumentError(
                f"a trace looks like 'v{VERSION}:1f2e3d4c:3=1,17=2', got {repr_of(word)}"
            )
        if version != f"v{VERSION}":
            raise InvalidArgumentError(
                f"the trace is of version {version[1:]}, this is version {VERSION}: {repr_of(word)}"
            )
        if not _DECISIONS.fullmatch(made):
            raise InvalidArgumentError(
                f"a trace's decisions look like '3=1,17=2', got {repr_of(made)}"
            )
        pairs = [pair.split("=") for pair in made.split(",") if pair]
        deviations = {int(number): int(taken) for number, taken in pairs}
        if len(deviations) < len(pairs):
            raise InvalidArgumentError(f"a trace takes each decision once, got {repr_of(made)}")
        return cls(graph, deviations)

    def check_graph(self, graph: str) -> None:
        """Raise ``TraceMisfit`` unless it was made for ``graph``."""
        if graph_id(graph) != self.graph:
            raise TraceMisfit(
                f"the trace is of another graph, {self.graph}; "
                f"this is {graph_id(graph)} with the actors {graph}",
                graph,
            )


def graph_id(graph: str) -> str:
    """A short word for the actors of a graph."""
    return blake2b(graph.encode(), digest_size=4).hexdigest()


def schedule_file(folder: Path, test: str) -> Path:
    """Where the traces of ``test``, by the name that pytest gives it, are kept.

    A name that others would share, or that is too long for a file, ends with a hash.
    """
    name = re.sub(r"[^\w\[\]-]+", ".", test.replace(".py::", "."))
    if not _PLAIN_NAME.fullmatch(test) or len(name.encode()) > LONGEST_NAME:
        short = name.encode()[:LONGEST_NAME].decode(errors="ignore")
        name = f"{short}-{blake2b(test.encode(), digest_size=4).hexdigest()}"
    return folder / f"{name}.json"


def load_schedules(folder: Path, test: str) -> list[tuple[Trace, str]]:
    """The traces kept for ``test``, each with why; raises for a file that holds none."""
    path = schedule_file(folder, test)
    kept = _read(path) if path.exists() else {}
    try:
        return [(Trace.parse(word), text_of(why)) for word, why in kept.items()]
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{path} holds what is no trace: {text_of(error)}") from error


def add_schedule(folder: Path, test: str, trace: Trace, why: str = "") -> Path:
    """Keep ``trace``, to be replayed for ever, and ``why``; returns the file."""
    path = schedule_file(folder, test)
    kept = _read(path) if path.exists() else {}
    kept.setdefault(str(trace), why)
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"traces": kept}, indent=1) + "\n", encoding="utf-8")
    return path


def _read(path: Path) -> dict[str, str]:
    """The traces of a file, each with why it is kept."""
    try:
        traces = json.loads(path.read_text(encoding="utf-8"))["traces"]
        return dict(traces) if isinstance(traces, dict) else dict.fromkeys(traces, "")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidArgumentError(f"{path} is no file of traces: {repr_of(error)}") from error
