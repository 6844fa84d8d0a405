"""end_with(8, 9)

in:  1 2 |
out: 1 2 8 9 |

Emits values after the elements; a function among them is called when its value is due.

Back-pressure: asks for its window, as far as downstream asks.
Completes: after its values, once upstream has completed.
Fails: with upstream, without its values; or when a function raises.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from actors_rs.stages.prologue_epilogue import Addition, Calls


class EndWith(Addition):
    """All elements, then what ``make_values`` gives."""

    def __init__(self, make_values: Callable[[], Iterable[Any]]) -> None:
        super().__init__()
        self._make_values = make_values

    @classmethod
    def calling(cls, functions: tuple[Callable[[], Any], ...]) -> EndWith:
        """The functions' results instead of values."""
        return cls(lambda: Calls(functions))

    def epilogue(self, error: BaseException | None) -> Iterable[Any]:
        return self._make_values() if error is None else ()
