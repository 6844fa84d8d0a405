"""kill_switch(switch)

    in:     1 2 3 4
    switch:     shutdown()
    out:    1 2 |

Passes everything on until the switch is used.
Back-pressure: passed on.
Completes: when upstream does, or at once when the switch is shut down; upstream is cancelled.
Fails: when upstream does, or at once with the error that the switch is aborted with.
Cancels: at once.
"""

from __future__ import annotations

from typing import Any, Protocol

from actors_rs.stages.passing import PassThrough
from actors_rs.stages.stage import Budget

__all__ = ["KillSwitchStage", "Switch"]


class Switch(Protocol):
    """See ``KillSwitch``, which is thread-safe."""

    @property
    def used(self) -> bool:
        """Whether the streams are to end."""
        ...

    @property
    def error(self) -> BaseException | None:
        """The error that the streams fail with; ``None`` to complete."""
        ...

    def watch(self, stage: Any, /) -> None:
        """Wake ``stage`` when it is used; held weakly."""

    def unwatch(self, stage: Any, /) -> None:
        """No more of that."""


class KillSwitchStage(PassThrough):
    """A stream that can be ended from outside."""

    def __init__(self, switch: Switch) -> None:
        super().__init__()
        self._switch = switch

    def start(self) -> None:
        self._switch.watch(self)  # before the first look at it: no use of it is missed

    def pass_on(self, budget: Budget) -> None:
        if not self._switch.used:
            super().pass_on(budget)
            return
        error = self._switch.error
        if error is None or self.outlet.closed:
            self.end(None)
        else:
            self.end(self.context.failed(error, plain=True))

    @property
    def waits_outside(self) -> bool:  # type: ignore[override]
        return not self.outlet.closed  # the switch may be used at any time

    def wake(self) -> None:
        """The switch was used; called on any thread."""
        self.context.post(lambda: None)

    def stop(self, error: BaseException | None) -> None:
        self._switch.unwatch(self)
