"""The report of a failed exploration: how to make the run again, and its events."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from actors_rs.errors import NondeterminismError
from actors_rs.testing.explore.traces import Trace
from actors_rs.testing.world import World, sequence_diagram
from actors_rs.texts import named, repr_of_fields

__all__ = ["LAST", "Failure", "as_raised", "pytest_outcomes"]

LAST = 30
"""Deliveries that are shown."""


@dataclass
class Failure:
    """A run that failed, with its shrunk ``trace`` and the final state of its world.

    One that was replayed has no ``seed``.
    """

    error: BaseException
    trace: Trace
    world: World
    seed: int | None = None

    __repr__ = repr_of_fields

    def report(self, again: str = "") -> str:
        """Seed, trace, the last deliveries, all actors, and the line ``again`` to replay it.

        What differs from run to run has no trace that would show it again.
        """
        replayed = not isinstance(self.error, NondeterminismError)
        deliveries = self.world.deliveries()
        shown = deliveries[-LAST:]
        lines = [
            f"seed: {self.seed}" if self.seed is not None else "",
            f"trace: {self.trace}" if replayed else "",
            f"the last {len(shown)} of {len(deliveries)} deliveries:",
            *(f"  {line}" for line in sequence_diagram(shown)),
            "actors:",
            *(f"  {line}" for line in self.world.states()),
            f"replay it: {again}" if again else "",
        ]
        return "\n".join(line for line in lines if line)

    def as_exception(self, again: str = "", runs: int = 0) -> BaseException:
        """The exception for the test, with the report; the failure came after so many ``runs``."""
        raised = as_raised(self.error)
        after = f"after {runs} runs\n" if runs else ""
        raised.add_note(f"{after}{self.report(again)}")
        return raised


def as_raised(error: BaseException) -> BaseException:
    """The exception that a test raises for ``error``: a ``SystemExit`` would end the whole run.

    ``pytest.fail`` raises no ``Exception``, but ends nothing else.
    """
    if isinstance(error, (Exception, *pytest_outcomes("Failed"))):
        return error
    failed = AssertionError(f"the scenario ended with {named(error)}")
    failed.__cause__ = error
    return failed


def pytest_outcomes(*names: str) -> tuple[type[BaseException], ...]:
    """What pytest, if it runs at all, raises to end a test: each of these ``names``."""
    outcomes = sys.modules.get("_pytest.outcomes")
    return () if outcomes is None else tuple(getattr(outcomes, name) for name in names)
