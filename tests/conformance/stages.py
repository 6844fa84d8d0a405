# mypy: disable-error-code="var-annotated"
"""All our stages, each as something the conformance kit can be pointed at.

A new stage needs a row in ``operators``, ``junctions``, ``sources`` or ``sinks``, a hub in `HUBS`:
a test looks.
"""

from dataclasses import dataclass

from actors_rs import Flow, Source
from actors_rs.runtime.supervision.backoff import Backoff
from tests.conformance.helpers import first_part, same
from tests.conformance.junctions import JUNCTIONS
from tests.conformance.operators import OPERATORS
from tests.conformance.sinks import ROWS, SINKS
from tests.conformance.sources import SOURCES, from_publisher

__all__ = [
    "ALL",
    "FLOWS",
    "HUBS",
    "PAIRS",
    "ROWS",
    "SINKS",
    "SOURCES",
    "VARIANTS",
    "Setting",
    "from_publisher",
]

WORKERS = (1, 4)
WINDOWS = (1, 2, 16, 1024)


@dataclass(frozen=True)
class Setting:
    """Under what a stage is tested; with ``frames`` its neighbours are ours, else foreign."""

    workers: int
    window: int
    frames: bool

    def __str__(self):
        peers = "frames" if self.frames else "signals"
        return f"{self.workers}-workers-window-{self.window}-{peers}"


ALL = [Setting(w, size, f) for w in WORKERS for size in WINDOWS for f in (False, True)]
PAIRS = [one for one in ALL if one.frames == ((one.workers > 1) ^ (WINDOWS.index(one.window) % 2))]
"""Settings in which each two choices meet at least once."""

FLOWS = OPERATORS | JUNCTIONS
"""A flow that passes on what comes, made with the stage."""


async def soon(x):
    return x


SOON = Backoff(0, 0)
VARIANTS = {
    "operators/map, a section that restarts": lambda: Flow().map(same).restart(SOON),
    "operators/map, on_failure": lambda: Flow().map(same).on_failure("resume"),
    "operators/map_async, retried": lambda: Flow().map_async(same, 2).retry(SOON),
    "operators/map_async, falling back": lambda: Flow().map_async(len, 2, fallback=lambda x, _: x),
    "operators/map_async, unordered": lambda: Flow().map_async(same, 1, ordered=False),
    "operators/map_async, coroutines": lambda: Flow().map_async(soon, 2),
    "operators/map_async_by_key, coroutines": lambda: Flow().map_async(soon, 2, key=lambda _: 0),
    "operators/buffer, backpressure": lambda: Flow().buffer(3),
    "operators/batch, within": lambda: Flow().batch(1, within=0.01).map(first_part),
    "junctions/concat, if_empty": lambda: Flow().if_empty(Source.empty()),
    "operators/group_by, evict_idle": lambda: (
        Flow().group_by(lambda _: 0, 1, "evict_idle", idle_timeout=5).flat_map(same, breadth=2)
    ),
    "operators/group_by, divert": lambda: (
        Flow().group_by(lambda _: 0, 1, "divert").flat_map(same, breadth=2)
    ),
    "operators/group_by, fail": lambda: (
        Flow().group_by(lambda _: 0, 1, "fail").flat_map(lambda group: group.map(same))
    ),
}
"""Options of stages, and what is made of several, that go a way of their own through the code."""


HUBS = {
    "hubs/hub": lambda source, system: source.hub(system, replay=32),
    "hubs/partition_hub": lambda source, system: source.partition_hub(
        system, lambda _, count: count - 1
    ),
}
"""``(source, system)`` -> a hot publisher."""
