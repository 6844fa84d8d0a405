"""defer(read, read)

read() read() |

Gives what functions return, each called when its element is asked for.

Back-pressure: gives as many elements as are asked for.
Completes: after its last element.
Fails: when a function raises, after what came before.
Cancels: nothing is held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from actors_rs.stages.prologue_epilogue import Calls
from actors_rs.stages.source import IteratorSource


class Defer(IteratorSource):
    """The results of ``functions``, in order."""

    def __init__(self, functions: tuple[Callable[[], Any], ...]) -> None:
        super().__init__()
        self._functions = functions

    def elements(self) -> Iterable[Any]:
        return Calls(self._functions)
