"""Running a verification without pytest: one outcome for each of its tests, in the kit's order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from actors_rs.errors import InvalidArgumentError
from actors_rs.testing.tck.catalogue import CATALOGUE, CatalogueEntry
from actors_rs.testing.tck.environment import Failure, NotVerified
from actors_rs.testing.tck.verification import Verification
from actors_rs.texts import repr_of, text_of

__all__ = ["Outcome", "run_verification"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one test of the kit came to; ``message`` is empty if it was passed."""

    entry: CatalogueEntry
    verdict: Literal["passed", "failed", "skipped"]
    message: str = ""


def run_verification(verification: Callable[[], Verification]) -> Iterator[Outcome]:
    """Run all tests, each on a fresh ``verification()``, and yield what came of them one by one.

    ``verification`` is usually a class derived from one of the kit's. Raises
    ``InvalidArgumentError`` if it is none of them, or if its factory is missing or makes something
    that cannot be tested.
    """
    tests = _tests_of(verification())
    for entry in tests:
        yield _outcome(entry, getattr(verification(), entry.name))


def _outcome(entry: CatalogueEntry, test: Callable[[], None]) -> Outcome:
    try:
        test()
    except NotVerified as reason:
        return Outcome(entry, "skipped", text_of(reason))
    except Failure as failure:
        return Outcome(entry, "failed", text_of(failure))
    return Outcome(entry, "passed")


def _tests_of(verification: object) -> tuple[CatalogueEntry, ...]:
    """The tests of the first class of the kit that it is derived from."""
    for base in type(verification).__mro__:
        if base.__name__ in CATALOGUE and issubclass(base, Verification):
            return CATALOGUE[base.__name__]
    raise InvalidArgumentError(
        f"run_verification needs a subclass of {', '.join(CATALOGUE)}, got {repr_of(verification)}"
    )
