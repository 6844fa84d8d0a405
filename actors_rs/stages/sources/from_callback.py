"""from_callback(sensor.subscribe, buffer=16, overflow="drop_oldest")

emit: 1   2 3 complete
out:  1   2 3 |

Gives what a function of the user's is called back with: ``register(emit)`` is called when the run
starts, and what it returns, a function, when the stream has ended.

Back-pressure: takes what downstream has requested, and up to ``buffer`` elements more; then the
  stream fails, or as ``overflow`` says.
Completes: after what was emitted before emit.complete(), or when drained.
Fails: after what was emitted before emit.fail(error), or when it overflows and is to fail then;
  when ``register`` raises.
Cancels: calls the function that ``register`` has returned; later elements are not taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.stages.sources.queue import HandIn, QueueSource
from actors_rs.texts import repr_of


class CallbackSource(QueueSource):
    """Elements of ``queue``, which what ``register`` was given puts in."""

    def __init__(self, queue: HandIn, register: Callable[[], Any]) -> None:
        super().__init__(queue)
        self._register = register
        self._unregister: Callable[[], object] | None = None

    def start(self) -> None:
        super().start()
        unregister = self._register()
        if unregister is not None and not callable(unregister):
            raise TypeError(
                "from_callback: register: expected a function that ends the registration, or "
                f"None, got {repr_of(unregister)}"
            )
        self._unregister = unregister

    def stop(self, error: BaseException | None) -> None:
        super().stop(error)
        unregister, self._unregister = self._unregister, None
        if unregister is not None:
            unregister()
