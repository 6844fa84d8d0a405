"""The context of a logic that is a part of a stage: it may ask for the same as the stage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from actors_rs.raised import named_by
from actors_rs.stages.failure import Policy

__all__ = ["PartContext", "named_as"]


@contextmanager
def named_as(label: str, site: str) -> Iterator[None]:
    """An exception inside, with no element at fault, is a failure of the part ``label``."""
    try:
        yield
    except Exception as error:
        if (named := named_by(label, site, error)) is error:
            raise
        raise named from error


class PartContext:
    """The stage's context, in which a failure carries the part's name and line."""

    def __init__(self, context: Any, label: str, site: str, name: str | None = None) -> None:
        self._context = context
        self._label = label
        self._site = site
        self.name = name or label
        """The part's own name."""
        self.failure: BaseException | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def failed(
        self,
        error: BaseException,
        /,
        position: int | None = None,
        *,
        plain: bool = False,
        beside: BaseException | None = None,
    ) -> Any:
        named = error if plain else named_by(self._label, self._site, error, position)
        self.failure = self._context.failed(named, plain=plain, beside=beside)
        return self.failure

    def passed_over(
        self, element: Any, error: Exception, position: int | None, policy: Policy, /
    ) -> None:
        named = named_by(self._label, self._site, error, position)
        self._context.passed_over(element, named, None, policy)
