"""The result of a run: the results of its sinks, or one failure, which names the others.

Exceptions are the user's, so their methods may do anything. No avoidable method is called here, and
no exception of theirs escapes: a caller that waits for the run would wait for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from actors_rs.errors import StageError
from actors_rs.raised import as_failure, note_once
from actors_rs.texts import named

if TYPE_CHECKING:
    from actors_rs.graph.results import Results
    from actors_rs.stages.stage import StreamEnd

__all__ = ["errors_of", "first_of", "results_of"]

MOST_NOTES = 5
"""Further failures that the notes of the first name; all of them are in its ``others``."""


def results_of(sinks: Sequence[StreamEnd], results: Results) -> tuple[Any, StageError | None]:
    """The result of a completed run of ``sinks``, or the error that it fails with instead."""
    try:
        return results.of([sink.result for sink in sinks]), None
    except BaseException as error:  # of a function of the user's, which combines them
        if isinstance(error, KeyboardInterrupt) and results.is_plain:
            raise  # Ctrl-C between two steps: the run reports its end once more
        return None, StageError("the combined result", as_failure(error), None, "")


def errors_of(sinks: Sequence[StreamEnd]) -> list[BaseException]:
    """What upstream of ``sinks`` has failed with."""
    return [sink.inlet.error for sink in sinks if sink.inlet.error is not None]


def first_of(failures: Sequence[BaseException]) -> BaseException:
    """The first of ``failures``, with all further ones as ``others`` and a few of them as notes.

    A mistake in what was to deal with the first one is seen in its traceback that way.
    """
    first, *others = failures
    with suppress(BaseException):
        object.__setattr__(first, "others", tuple(others))  # its own may refuse, or do anything
    with suppress(BaseException):
        for note in _notes(others):
            note_once(first, note)
    return first


def _notes(others: Sequence[BaseException]) -> Iterator[str]:
    for other in others[:MOST_NOTES]:
        yield f"also: {named(other)}"
    if (more := len(others) - MOST_NOTES) > 0:
        yield f"also: {more} more, see its others"
