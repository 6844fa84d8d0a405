"""Executors of the user's, whose threads call functions in the context of their stage."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

__all__ = ["InContext", "in_context"]


class InContext:
    """``executor``, whose threads call functions in copies of the context of ``submit``."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        self._executor = executor

    def submit(self, f: Callable[[Any], Any], element: Any, /) -> Future[Any]:
        """See ``Executor.submit``."""
        return self._executor.submit(copy_context().run, f, element)


def in_context(executor: Executor | None) -> Executor | InContext | None:
    """``executor`` for calls in the context of their stage, where contexts can go.

    They cannot be sent to other processes, and a ``submit`` of the user's may do that.
    """
    of_threads = getattr(type(executor), "submit", None) is ThreadPoolExecutor.submit
    return InContext(executor) if of_threads else executor  # type: ignore[arg-type]
