"""Writes ``docs/conformance.md`` from the kit: ``python -m tests.pages.conformance``.

A test compares the page with what this module makes, so the two cannot drift apart. The part about
foreign publishers is found out by running the kit on them, which takes some seconds.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from actors_rs.protocol.rules import rule
from actors_rs.testing import tck
from actors_rs.testing.misbehaving import (
    FAILED_PUBLISHERS,
    PROCESSORS,
    PUBLISHERS,
    SUBSCRIBERS,
    SUBSCRIPTIONS,
)
from actors_rs.testing.tck.catalogue import CATALOGUE
from actors_rs.testing.tck.report import publisher_verification, report_of
from tests.conformance.foreign import asyncio_numbers, rx_numbers
from tests.pages.rules import table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "conformance.md"
COLUMNS = ("violator", "behaviour", "caught by", "message")
VIOLATORS = (*PUBLISHERS, *SUBSCRIPTIONS, *FAILED_PUBLISHERS, *SUBSCRIBERS, *PROCESSORS)

HEAD = """\
# The conformance kit, and what it finds

Made by `python -m tests.pages.conformance`: change what it is made from, not this page. All
stages of this package pass the kit (`tests/conformance`), with no required test skipped.

## Violators

Each breaks one rule (`actors_rs/testing/misbehaving`). The named tests catch it, with a message
that has the words in the last column.
"""

UNTESTED = """\
## Not tested

Neither the kit of the standard nor this one tests these rows. This kit tests the other rows that
the standard's leaves untested.
"""

FOREIGN = """\
## Publishers that are not ours

Wrapped in `tests/conformance/foreign.py` in the obvious way, then tested. A violation counts for
the rule that the message names: RxPY has no demand, and breaks 1.1 in tests of several others.
"""


def page() -> str:
    """The whole page."""
    sections = [HEAD, table(COLUMNS, map(row, VIOLATORS))]
    sections += [UNTESTED, table(("verification", "test", "reason"), not_tested())]
    sections += [FOREIGN, foreign("An RxPY observable", rx_numbers)]
    sections += [foreign("An asyncio generator, by hand", asyncio_numbers)]
    return "\n".join(sections)


def row(violator: Any) -> tuple[str, ...]:
    """One violator."""
    doc = (inspect.getdoc(violator) or "").splitlines()[0]
    tests = "<br>".join(f"`{one}`" for one in violator.caught_by)
    return f"`{violator.__name__}`", doc, tests, f"`{violator.message().strip()}`"


def not_tested() -> list[tuple[str, ...]]:
    """The tests that end in a reason and nothing else, in the kit's order."""
    rows: list[tuple[str, ...]] = []
    for name, entries in CATALOGUE.items():
        if name == "IdentityProcessorVerification":
            continue  # its tests are those of the others
        verification = getattr(tck, name)
        for entry in entries:
            source = inspect.getsource(getattr(verification, entry.name))
            if "self.not_checked(" in source:
                rows.append((name, f"`{entry.standard_id}`", reason_of(verification(), entry.name)))
    return rows


def reason_of(verification: Any, test: str) -> str:
    """Why a test is not done, as it says itself."""
    try:
        getattr(verification, test)()
    except tck.NotVerified as reason:
        return f"{reason}."
    raise AssertionError(f"{test} was expected to be skipped")


def foreign(title: str, factory: Callable[[int], Any]) -> str:
    """The rules that a publisher keeps and breaks, found out now."""
    verification = publisher_verification(factory, factory.__name__)

    class Patient(verification):  # type: ignore[valid-type, misc]  # it is a class made just now
        def create_environment(self) -> tck.Environment:
            return tck.Environment(timeout=1.0, no_signals_timeout=0.1)

    report = report_of(tck.run_verification(Patient))
    broken = [(known, rule(known).text) for known in sorted(report.broken, key=place)]
    kept = ", ".join(sorted(report.kept, key=place))
    return f"### {title}\n\nKept: {kept}.\n\n" + table(("broken", "which says"), broken)


def place(number: str) -> tuple[int, ...]:
    """Where a rule stands in the standard."""
    return tuple(map(int, number.split(".")))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
