"""``BadRow``: a row of a file that is no row, and what a source does with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from actors_rs.texts import repr_of, text_of

__all__ = ["BadRow", "OnBadRow"]

_MOST = 200
"""Characters of a bad row that its ``repr`` shows."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that ``Source.csv`` or ``Source.jsonl`` cannot give: where it is, and why.

    - ``path`` (``str``): the file, as it was given.
    - ``line`` (``int``): the line in which the row ends, from 1.
    - ``text`` (``str``): the row as it stands in the file: all its lines and no others, with their
      line ends (``"\\n"`` for ``Source.jsonl``). So ``rejects.write(bad.text)`` writes lines; only
      the last line of a file may lack an end.
    - ``fields`` (``tuple[str, ...]``): its cells; empty for ``Source.jsonl``, and where the text
      could not be split.
    - ``error`` (``Exception``): the reason.

    >>> from io import StringIO
    >>> text = StringIO("age\\n36\\n?\\n")
    >>> rows = Source.csv(text, types={"age": int}, on_bad_row=lambda bad: {"age": bad.fields[0]})
    >>> rows.run(Sink.list())
    [{'age': 36}, {'age': '?'}]
    """

    path: str
    line: int
    text: str
    fields: tuple[str, ...]
    error: Exception

    def __repr__(self) -> str:
        return (
            f"BadRow({self.path}, line {self.line}: {repr_of(self.text, _MOST)}, "
            f"{text_of(self.error)})"
        )


OnBadRow: TypeAlias = Literal["fail", "skip"] | Callable[[BadRow], Any]
"""``"fail"``, ``"skip"``, or a function of the ``BadRow`` that gives an element for it, or None."""
