"""The error of a stage or sink that needs an element, at the end of a stream without one."""

from __future__ import annotations

from actors_rs.errors import EmptyStreamError

__all__ = ["nothing_for"]


def nothing_for(who: str, needed: str = "an element", before: str = "") -> EmptyStreamError:
    """The error of ``who``, which got nothing that it ``needed``; ``before`` is code to write."""
    return EmptyStreamError(
        f"{who} needs {needed}, the stream had none: put {before}default_if_empty(value) before it"
    )
