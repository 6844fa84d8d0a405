"""default_if_empty(7)

in:  |
out: 7 |

Gives values if the stream completes without an element.

Back-pressure: asks for its window, as far as downstream asks.
Completes: with upstream; after its values if there was no element.
Fails: with upstream, after what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from actors_rs.stages.prologue_epilogue import Addition


class DefaultIfEmpty(Addition):
    """All elements, or ``values`` where there are none."""

    never_waits = True

    def __init__(self, values: tuple[Any, ...]) -> None:
        super().__init__()
        self._values = values

    def epilogue(self, error: BaseException | None) -> Iterable[Any]:
        return self._values if error is None and not self.inlet.count else ()
