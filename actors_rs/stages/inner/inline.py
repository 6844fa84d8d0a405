"""Inner streams that run inline: their host iterates over them.

A source followed by operators that make one element of one is an iterator around another. A stream
of a few elements needs no more: no ports, no mailbox, no turns. The host iterates in its own turn,
as far as it is asked for, and reports its end to its ``InlineStreams``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from actors_rs.stages.stage import Stream

__all__ = ["InlineStream", "InlineStreams", "RunsInline"]

AS_MANY = -1
"""The count of an operator that gave as many elements as it took."""


class InlineStream:
    """One such stream; touched in its host's turns only.

    A class of logics that can be a step of it has a static method ``inline(elements, stream, step,
    *arguments)``, which returns an iterator. ``arguments`` are the arguments of the logic.
    ``step`` is the number of the step: the source is step 0 and gets no elements.
    """

    __slots__ = (
        "at_fault",
        "counts",
        "elements",
        "error",
        "holds_elements",
        "number",
        "opened",
        "stages",
        "was_cut",
    )

    elements: Iterator[Any]
    """The elements that it gives: the generator of the last step."""

    def __init__(self, stages: Sequence[Any], number: int) -> None:
        self.stages = stages
        self.number = number
        """The number that ``InlineStreams`` gave it."""
        self.holds_elements: bool = stages[0].make.func.holds_elements
        """See ``StageLogic.holds_elements``."""
        self.counts = [AS_MANY] * len(stages)
        """How many elements each step gave to the next one, or the last one to the host.

        Written by the code that takes them; by the last step if it does not give as many as it
        takes.
        """
        self.was_cut = False
        self.opened: Any = None
        """An iterator of the user that must be closed at the end."""
        self.at_fault = 0
        self.error: BaseException | None = None

    def stumbled(self, step: int, error: BaseException) -> None:
        """``step`` is about to raise ``error``, from code of the user's."""
        self.at_fault, self.error = step, error

    def cut(self) -> None:
        """Give nothing more, as if the source had ended: between two elements, none is in flight.

        Its last step is a generator, and its host may hold on to it.
        """
        self.was_cut = True
        self.elements.close()  # type: ignore[attr-defined]

    @property
    def given(self) -> int:
        """How many elements came out at its end."""
        return self.out_of(len(self.counts) - 1)

    def out_of(self, step: int) -> int:
        """How many elements ``step`` gave."""
        if (count := self.counts[step]) != AS_MANY:
            return count
        if step == 0:
            return 0
        return self.out_of(step - 1) - (self.error is not None and self.at_fault == step)


class InlineStreams(Protocol):
    """Decides which streams run inline, and keeps their counters; for one host."""

    def begin(self, source: Stream, alone: bool, /) -> InlineStream | Sequence[Any] | None:
        """``source`` inline, or all its elements if they exist; ``None`` if it needs more.

        ``alone``: the host has no other inner stream, so it may wait for one stage of the user's.
        """
        ...

    def ended(self, stream: InlineStream, /) -> None:
        """``stream`` gives nothing more, or is not wanted any more: release what it has opened."""

    def failed(self, stream: InlineStream, error: Exception, /) -> BaseException:
        """``stream`` raised ``error`` and has ended; returns what to send downstream."""
        ...

    def close(self) -> None:
        """The host has ended."""

    @property
    def draining(self) -> bool:
        """Whether the run drains: what ends now, or began drained, may have been cut short."""
        ...


class RunsInline:
    """What logics have in common whose inner streams may run inline."""

    inline_streams: InlineStreams | None = None
    """Set by the code that makes the actor; without it, streams are attached."""
