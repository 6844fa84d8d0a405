"""``map_processes`` for acknowledged elements: values travel to workers, tokens stay here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from actors_rs.delivery.ack import Disposition, Tracked
from actors_rs.delivery.carrying.surviving import Surviving
from actors_rs.stages.calls.call import Call
from actors_rs.stages.operators.map_processes import MapProcesses

__all__ = ["CarryingProcesses"]


class CarryingProcesses(Surviving, MapProcesses):
    """To be mixed in before ``MapProcesses``."""

    def _finish(self, call: Call, value: Any, error: BaseException | None) -> None:
        if error is None:
            values, failures = value.values, value.failures
            for at, tracked in enumerate(call.element):
                if at not in failures:
                    values[at] = self._carried(values[at], tracked)
        super()._finish(call, value, error)

    def _carried(self, value: Any, tracked: Tracked) -> Any:
        if not self.flat:
            return Tracked(value, tracked.token)
        parts = [Tracked(part, tracked.token.sibling()) for part in value]
        tracked.token.settle(None if parts else Disposition.FILTERED)
        return parts

    def _called(self, elements: Sequence[Tracked]) -> Any:
        return super()._called([tracked.value for tracked in elements])
