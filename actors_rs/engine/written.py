"""``Written``: the files that the stages of a run have made, so that none of them replaces another.

Its own input may be made again by a section: what that wrote before it began anew does not count.
"""

from __future__ import annotations

__all__ = ["Written"]


class Written:
    """The files of a run, as one scope sees them: the run or a section. Any thread."""

    def __init__(self, outer: Written | None = None) -> None:
        self._outer = outer
        self._files: dict[str, Written] = {} if outer is None else outer._files
        self._is_redone = False

    def __contains__(self, path: str) -> bool:
        """Whether a stage of the run has made the file at ``path``, a real path."""
        by = self._files.get(path)
        return by is not None and not by._counts_no_more

    def add(self, path: str) -> None:
        """A stage of this scope makes the file at ``path``."""
        self._files[path] = self

    def redo(self) -> None:
        """A later attempt makes all of it once more."""
        self._is_redone = True

    @property
    def _counts_no_more(self) -> bool:
        return self._is_redone or (self._outer is not None and self._outer._counts_no_more)
