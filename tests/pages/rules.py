"""Writes ``docs/rules.md`` from the rules as data: ``python -m tests.pages.rules``.

A test compares the page with what this module makes, so the two cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from actors_rs.protocol.rules import CHANGES, GLOSSARY, MONITOR, RULES, Change, Rule, Term

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rules.md"

HEAD = """\
# The rules of Reactive Streams, and where they are checked

Made from `actors_rs/protocol/rules/` by `python -m tests.pages.rules`: change the data, not
this page. The words are ours; version 1.0.3 of the
[standard](https://www.reactive-streams.org) is binding.

A `RuleMonitor` on a link reports each break of a rule that is checked by the *monitor*. It is on
every link of a run with `ActorSystem(monitor=True)` or `graph.monitored()`. `link_monitor` of
`actors_rs.engine.monitored` puts one between any two peers, foreign ones too.
"""

HISTORY = """\
## What changed on the way to 1.0.3

The texts compared are the early draft, the first release candidate, 1.0.0 and 1.0.3, which stands.
Earlier texts show what other implementations may still do.
"""

WORDS = """\
## The words
"""


def page() -> str:
    """The whole page."""
    sections = [HEAD]
    for side in dict.fromkeys(known.side for known in RULES):
        sections.append(f"## {side}\n")
        sections += [section(known) for known in RULES if known.side == side]
    columns = ("point", "draft", "RC1", "1.0.0", "1.0.3", "actors_rs")
    sections += [HISTORY, table(columns, map(change_row, CHANGES))]
    sections += [WORDS, table(("word", "meaning", "here"), map(term_row, GLOSSARY))]
    return "\n".join(sections).replace("2**63 - 1", "`2**63 - 1`")  # else ** makes it bold


def section(known: Rule) -> str:
    """One rule."""
    lines = [
        f"### {known.id} ({known.level})\n",
        f"{known.text}\n",
        f"*Why:* {known.intent}\n",
        f"*Here:* {known.how}\n",
    ]
    places = ", ".join(map(place, known.checks)) or "nowhere, for the reason given"
    return "\n".join([*lines, f"*Checked by:* {places}\n"])


def place(check: str) -> str:
    """Where a rule is checked, as the page shows it."""
    if check == MONITOR:
        return "the monitor"
    file, _, test = check.partition("::")
    return f"[`{test}`](../{file})"


def change_row(change: Change) -> tuple[str, ...]:
    """One row of the table of changes."""
    texts = (change.draft, change.rc1, change.v1_0_0, change.v1_0_3)
    return (change.topic, *texts, change.ours)


def term_row(term: Term) -> tuple[str, ...]:
    """One row of the glossary."""
    return (term.word, term.meaning, term.here)


def table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [columns, ("---",) * len(columns), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
