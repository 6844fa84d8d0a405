"""The words the rules are written in, explained in ours."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["GLOSSARY", "Term"]


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the standard, with its meaning there and in this package."""

    word: str
    meaning: str
    here: str


GLOSSARY = (
    Term(
        "signal",
        "One of the six calls: on_subscribe, on_next, on_error, on_complete, request, cancel; "
        "also making one.",
        "Between two of our stages a signal is a message, and a frame of n stands for n on_next.",
    ),
    Term(
        "demand",
        "How many elements were requested and have not been delivered yet; also asking for them.",
        "`Outlet.demand`; it saturates at `UNBOUNDED`.",
    ),
    Term(
        "synchronous",
        "On the thread of the caller, before the call returns.",
        "Our stages never signal one another synchronously; a foreign subscriber is called "
        "synchronously from its stage's turn.",
    ),
    Term(
        "return normally",
        "Return, and raise nothing: failures travel as on_error, or as cancel.",
        "Only a missing or impossible argument raises, as TypeError.",
    ),
    Term(
        "responsivity",
        "The ability to answer soon. No party may take it from another.",
        "A turn is short, and slow user code gets more threads.",
    ),
    Term(
        "non-obstructing",
        "Of a method: as quick as possible, without heavy work or waiting on the caller's thread.",
        "request, cancel and the signals of our subscribers put one message into a mailbox.",
    ),
    Term(
        "terminal state",
        "Reached when on_complete or on_error was signalled, or received.",
        "`Phase.ENDED` of a link; a closed outlet, a done inlet.",
    ),
    Term(
        "NOP",
        "A call without visible effect, so it can be made at any time.",
        "request and cancel after a cancel or an end.",
    ),
    Term(
        "serial",
        "One after another without overlap, each after the effects of the one before.",
        "The turns of one actor are serial.",
    ),
    Term(
        "thread-safe",
        "May be called from any threads at the same time, without coordination.",
        "Said of a method in its docstring where it holds.",
    ),
)
"""In the order of the standard."""
