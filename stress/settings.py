"""What the options of a stress run say."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

from actors_rs.errors import InvalidArgumentError
from actors_rs.testing.tck.environment import DILATION_VARIABLE

__all__ = ["Settings"]

YIELD_P = 0.02


@dataclass
class Settings:
    """Of this session. ``seed`` also says which part of the table is this round's.

    Raises ``InvalidArgumentError`` for numbers with which a round would test nothing.
    """

    seed: int = 0
    minutes: float | None = None
    dilation: float = 1.0
    yield_p: float = YIELD_P
    whole: bool = False

    def __post_init__(self) -> None:
        if self.minutes is not None:
            _check_above_0("--minutes", self.minutes)
        _check_above_0("--dilation", self.dilation)
        if not 0 <= self.yield_p <= 1:
            raise InvalidArgumentError(f"--yield-p must be from 0 to 1, got {self.yield_p}")

    def stretched(self, seconds: float) -> float:
        """``seconds`` on a machine that is ``dilation`` times slower than it should be."""
        return seconds * self.dilation

    def publish(self) -> None:
        """Tell it to what reads the kit's own variable."""
        os.environ[DILATION_VARIABLE] = str(self.dilation)


def _check_above_0(option: str, number: float) -> None:
    if not 0 < number < math.inf:  # false for what is no number, too
        raise InvalidArgumentError(f"{option} must be a number above 0, got {number}")
