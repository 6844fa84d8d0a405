"""The kit's verdict on a Publisher, rule by rule, as text: for the command line and for pages.

A rule is kept if every test of it that applied was passed, broken if a test says so. A test that
was skipped is listed with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from actors_rs.errors import InvalidArgumentError
from actors_rs.protocol.interfaces import Publisher
from actors_rs.testing.tck.publisher import PublisherVerification
from actors_rs.testing.tck.runner import Outcome
from actors_rs.texts import named, repr_of

__all__ = ["Report", "publisher_verification", "report_of"]

NAMED = re.compile(r"rule (\d+\.\d+): ")


@dataclass(slots=True)
class Report:
    """Rules by what came of them; the values are the first message of each, in the kit's order."""

    kept: list[str] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """The report as text, a line for each rule that was broken or skipped."""
        yield f"kept: {', '.join(self.kept) or 'none'}"
        for title, rules in (("broken", self.broken), ("skipped", self.skipped)):
            for rule, message in rules.items():
                yield f"{title} {rule}: {message.removeprefix(f'rule {rule}: ')}"


def report_of(outcomes: Iterable[Outcome]) -> Report:
    """Sum up what the tests of a verification came to.

    A message counts for the rule that it names first: the test of one rule may meet another's
    violation. Tests of the harness go as ``kit``.
    """
    passed: dict[str, None] = {}
    failed: set[str] = set()
    report = Report()
    for outcome in outcomes:
        rule = outcome.entry.rule or "kit"
        if outcome.verdict == "passed":
            passed[rule] = None
            continue
        message = outcome.message.split("; ")[0]
        if outcome.verdict == "failed":
            named = NAMED.match(message)
            failed.add(rule)
            report.broken.setdefault(named[1] if named else rule, message)
        else:
            report.skipped.setdefault(rule, message)
    over = failed | report.broken.keys() | {"kit"}
    report.kept = [rule for rule in passed if rule not in over]
    return report


def publisher_verification(factory: object, name: str) -> type[PublisherVerification]:
    """``factory`` itself if it is a verification, else one of what ``factory(elements)`` makes.

    Raises ``InvalidArgumentError``, with ``name`` in it, for what is neither.
    """
    if isinstance(factory, type) and issubclass(factory, PublisherVerification):
        return factory
    if not callable(factory):
        raise InvalidArgumentError(
            f"expected {name} to be a function factory(elements) that gives a Publisher, "
            f"or a PublisherVerification, got {repr_of(factory)}"
        )
    make = factory

    class Given(PublisherVerification):
        def create_publisher(self, elements: int) -> Publisher[object]:
            try:
                made = make(elements)
            except BaseException as error:  # an exit too: it would end the whole command
                raise InvalidArgumentError(
                    f"expected {name}({elements}) to give a Publisher, got {named(error)}"
                ) from error
            if not isinstance(made, Publisher):
                raise InvalidArgumentError(
                    f"expected {name}({elements}) to give a Publisher, got {repr_of(made)}"
                )
            return made

    return Given
