"""ignore: takes everything, keeps nothing; the result is ``None``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from actors_rs.stages.linear import SinkLogic


class Ignore(SinkLogic):
    """For streams that are run for what their stages do."""

    def consume(self, elements: Iterator[Any], /) -> None:
        return
