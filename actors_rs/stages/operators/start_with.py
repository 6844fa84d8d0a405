"""start_with(8, 9)

in:      1 2 |
out: 8 9 1 2 |

Gives values, or what functions return when they are due, before the elements.

Back-pressure: asks for its window, as far as downstream asks.
Completes: with upstream.
Fails: with upstream, after what came before; or when a function raises.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from actors_rs.stages.prologue_epilogue import Addition, Calls


class StartWith(Addition):
    """What ``make_values`` gives, then all elements."""

    def __init__(self, make_values: Callable[[], Iterable[Any]]) -> None:
        super().__init__()
        self._make_values = make_values

    @classmethod
    def calling(cls, functions: tuple[Callable[[], Any], ...]) -> StartWith:
        """The functions' results instead of values."""
        return cls(lambda: Calls(functions))

    def prologue(self) -> Iterable[Any]:
        return self._make_values()
