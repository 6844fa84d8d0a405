"""The state of one partition that a supervised source has begun."""

from __future__ import annotations

from actors_rs.delivery.ack import Unit
from actors_rs.spark.fetching.fetch import Fetch
from actors_rs.stages.stage import Cancellable

__all__ = ["Attempts"]


class Attempts:
    """All that is known of one partition that was begun."""

    __slots__ = (
        "attempts", "beside", "fetch", "given", "queued", "rests", "second", "seconded", "timer",
        "unit",
    )  # fmt: skip

    def __init__(self, fetch: Fetch) -> None:
        self.fetch = fetch
        self.second: Fetch | None = None  # beside the first, which is late
        self.seconded = False  # there was one, which may have ended
        self.beside: BaseException | None = None  # what became of it, or of the first
        self.rests = False  # until the next attempt
        self.queued = False  # when it was last asked about, its job waited for a core
        self.attempts = 0
        self.given = 0
        self.timer: Cancellable | None = None
        self.unit: Unit | None = None
