"""The text of a user's object, for a message or a log: it never raises, and it has an end.

Whose ``__str__`` or ``__repr__`` raises, returns no text, or returns a gigabyte, must not break
whoever merely wants to name it: an actor's turn, the end of a run, a shutdown. So what is not ours
gets into a text through these functions.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["MOST", "repr_of", "text_of"]

MOST = 10_000
"""Characters of a text that are shown, and of a ``repr`` a tenth of them."""


def text_of(thing: object, most: int = MOST) -> str:
    """``str(thing)``, at most some ``most`` characters of it, whatever ``__str__`` does.

    Whatever it raises is caught, also an exit: who is to be told would wait for ever else.
    """
    return _taken(str, "__str__", thing, most)


def repr_of(thing: object, most: int = MOST // 10) -> str:
    """``repr(thing)``, at most some ``most`` characters of it, whatever ``__repr__`` does."""
    return _taken(repr, "__repr__", thing, most)


def _taken(call: Callable[[object], str], method: str, thing: object, most: int) -> str:
    try:
        text = call(thing)
        length = str.__len__(text)  # not as a subclass would have it
        if length <= most:
            return str.__str__(text)
        return f"{str.__getitem__(text, slice(most))}... ({length} characters)"
    except BaseException as failure:
        kind = type(thing).__name__
        return f"<{kind} whose {method} raised {type(failure).__name__}>"
