"""What all verifications share: a test's life, its marks, and the refusal of a missing factory.

A test of the kit is a plain method: ``TestMine().test_...()`` runs it, under pytest or without.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, Literal, TypeVar

from actors_rs.errors import InvalidArgumentError
from actors_rs.testing.tck.environment import Environment, Failure, NotVerified
from actors_rs.texts import class_name_of, repr_of, text_of

__all__ = ["Kind", "KitMark", "Verification", "optional", "required", "stochastic", "untested"]

Kind = Literal["required", "optional", "stochastic", "untested"]
V = TypeVar("V", bound="Verification")


@dataclass(frozen=True, slots=True)
class KitMark:
    """The subject of a test of the kit: a rule's number (empty: the harness), and its kind."""

    rule: str
    kind: Kind


class Verification:
    """One test at a time, on a thread of its own, against what the subclass's factories make."""

    env: Environment

    def create_environment(self) -> Environment:
        """The environment of each test; override it for other timeouts."""
        return Environment()

    def create_element(self, index: int) -> Any:
        """An element that the kit itself sends; override it where an ``int`` will not do."""
        return index

    def not_checked(self, reason: str) -> None:
        """End this test as not verified, with the reason as text."""
        raise NotVerified(reason)

    def missing(self, factory: str, makes: str) -> InvalidArgumentError:
        """The error of a verification whose subclass lacks a factory."""
        return InvalidArgumentError(f"{type(self).__name__} needs a method {factory}, {makes}")

    def made(self, factory: str, value: Any, expected: type, what: str) -> Any:
        """Return what a factory made; ``InvalidArgumentError`` if it is no such thing."""
        if not isinstance(value, expected):
            raise InvalidArgumentError(
                f"{type(self).__name__}.{factory} must return a {what}, "
                f"got {repr_of(value)} of type {class_name_of(value)}"
            )
        return value

    def run_kit_test(self, test: Callable[[Any], None], kind: Kind) -> None:
        """Run one test in a fresh environment; a broken optional rule counts as not verified."""
        self.env = self.create_environment()
        try:
            self._run(test)
        except Failure as failure:
            if kind == "optional":
                raise NotVerified(f"optional, and not kept here: {text_of(failure)}") from failure
            raise
        finally:
            self.env.close()

    def _run(self, test: Callable[[Any], None]) -> None:
        try:
            self.env.run(partial(test, self))
        except Failure as failure:
            others = [error for error in self.env.async_errors if error != text_of(failure)]
            if others:
                raise Failure("; ".join([text_of(failure), *others])) from failure
            raise
        self.env.verify_no_async_errors()


Test = Callable[[V], None]


def required(rule: str = "") -> Callable[[Test[V]], Test[V]]:
    """Mark a test of a rule that must hold."""
    return _kit_test(rule, "required")


def optional(rule: str = "") -> Callable[[Test[V]], Test[V]]:
    """Mark a test of what the standard permits; where it does not hold it is skipped."""
    return _kit_test(rule, "optional")


def stochastic(rule: str = "") -> Callable[[Test[V]], Test[V]]:
    """Mark a test that finds a violation only with some probability."""
    return _kit_test(rule, "stochastic")


def untested(rule: str = "") -> Callable[[Test[V]], Test[V]]:
    """Mark a rule that the standard's own kit leaves out: checked here, or skipped with why."""
    return _kit_test(rule, "untested")


def _kit_test(rule: str, kind: Kind) -> Callable[[Test[V]], Test[V]]:
    def decorate(test: Test[V]) -> Test[V]:
        @wraps(test)
        def run(self: V) -> None:
            self.run_kit_test(test, kind)

        run.tck = KitMark(rule, kind)  # type: ignore[attr-defined]  # for runners and tables
        return _marked_for_pytest(run, kind)

    return decorate


def _marked_for_pytest(test: Test[V], kind: Kind) -> Test[V]:
    """Give the test its pytest marker; without pytest another runner calls the bare method."""
    try:
        import pytest
    except ImportError:
        return test
    try:
        marked: Test[V] = getattr(pytest.mark, f"tck_{kind}")(test)
    except pytest.fail.Exception:
        raise InvalidArgumentError(
            "pytest is strict about markers and does not know the kit's: write "
            'pytest_plugins = ["actors_rs.testing.pytest_plugin"] into the topmost conftest'
        ) from None
    return marked
