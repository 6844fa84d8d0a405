"""What the options of a stress run say."""

from __future__ import annotations

import os
from dataclasses import dataclass

from actors_rs.testing.tck.environment import DILATION_VARIABLE

__all__ = ["Settings"]

YIELD_P = 0.02


@dataclass
class Settings:
    """Of this session. ``seed`` also says which part of the table is this round's."""

    seed: int = 0
    minutes: float | None = None
    dilation: float = 1.0
    yield_p: float = YIELD_P
    whole: bool = False

    def stretched(self, seconds: float) -> float:
        """``seconds`` on a machine that is ``dilation`` times slower than it should be."""
        return seconds * self.dilation

    def publish(self) -> None:
        """Tell it to what reads the kit's own variable."""
        os.environ[DILATION_VARIABLE] = str(self.dilation)
