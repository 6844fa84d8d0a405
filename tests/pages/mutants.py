"""Writes ``docs/mutants.md``: ``python -m tests.pages.mutants``. It takes a minute.

Puts each mutant of ``tests/mutants`` into the package and finds the run of its scenarios that sees
it. A test compares the mutants on the page with the mutants in the code.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.explored.scenario import RUNS
from tests.mutants.catalogue import ALL, MUTANTS, ROOMS
from tests.mutants.kill import Kill, kill
from tests.mutants.mutant import Mutant

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mutants.md"

HEAD = f"""\
# The museum of bugs

Made by `python -m tests.pages.mutants` from `tests/mutants/`. Each row is a bug of a kind that
systems like this one really had. The test puts it into the package and runs the scenarios of
`tests/explored/` in up to {RUNS:,} orders. One scenario must fail. The table shows which one, in
which run, and what chose the order of that run: a random walk or PCT with its seed, or the
depth-first search (`dfs`), which has no seed. Models that run in all interleavings find the bugs
of threads.

{len(ALL)} bugs, {{killed}} of them killed.
"""
COLUMNS = "| bug | fault | killed by | run | order |\n|---|---|---|---|---|\n"


def page() -> str:
    """The whole page, made anew."""
    kills = {mutant.name: kill(mutant) for mutant in ALL}
    killed = sum(seen is not None for seen in kills.values())
    rooms = [_room(ROOMS[room], mutants, kills) for room, mutants in MUTANTS.items()]
    return "\n".join([HEAD.format(killed=killed), *rooms])


def names_on(text: str) -> list[str]:
    """The bugs that a page names, in its order."""
    rows = (line.split("|") for line in text.splitlines() if line.startswith("| "))
    return [cells[1].strip() for cells in rows if cells[1].strip() != "bug"]


def _room(title: str, mutants: tuple[Mutant, ...], kills: dict[str, Kill | None]) -> str:
    rows = (_row(mutant, kills[mutant.name]) for mutant in mutants)
    return f"## {title}\n\n{COLUMNS}" + "".join(rows)


def _row(mutant: Mutant, seen: Kill | None) -> str:
    if seen is None:
        found = ("**survives**", "", "")
    elif mutant.model:
        found = (f"`{seen.scenario}`", "", "all interleavings")
    else:
        seed = "" if seen.seed is None else f" {seen.seed}"
        found = (f"`{seen.scenario}`", str(seen.run), f"{seen.strategy}{seed}")
    return f"| {mutant.name} | {mutant.breaks} | {' | '.join(found)} |\n"


def main() -> int:
    """Write the page; 1 if a bug survives."""
    text = page()
    PAGE.write_text(text, encoding="utf-8")
    return int("**survives**" in text)


if __name__ == "__main__":
    sys.exit(main())
