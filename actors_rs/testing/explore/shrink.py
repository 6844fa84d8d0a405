"""Shrinking: the fewest choices that are not dull with which a scenario still fails alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from actors_rs.errors import ProtocolViolation, StageError
from actors_rs.testing.world import World

__all__ = ["kind_of", "shrink"]

Attempt: TypeAlias = Callable[[dict[int, int]], tuple[World, BaseException | None]]
MOST_ATTEMPTS = 400
MANY = 32
"""Options up to this one are tried one by one."""


def kind_of(error: BaseException | None) -> object:
    """What makes two failures the same one: the class, the rule, the class of the cause."""
    if isinstance(error, ProtocolViolation):
        return type(error), error.rule
    if isinstance(error, StageError):
        return type(error), error.stage, type(error.__cause__)
    return type(error)


class _Shrinking:
    def __init__(self, attempt: Attempt, world: World, error: BaseException) -> None:
        self._attempt = attempt
        self._kind = kind_of(error)
        self.world = world
        self.error = error
        self.script = world.decisions.deviations
        self.left = MOST_ATTEMPTS

    def accept(self, script: dict[int, int]) -> bool:
        """Take ``script`` over if the scenario fails with it as it did."""
        if not self.left:
            return False
        self.left -= 1
        world, error = self._attempt(script)
        if error is None or kind_of(error) != self._kind:
            return False
        made = world.decisions.deviations
        if (len(made), sum(made.values())) >= (len(self.script), sum(self.script.values())):
            return False
        self.world, self.error, self.script = world, error, made
        return True

    def drop_chunks(self) -> None:
        """Leave out ever smaller runs of decisions, the last ones first."""
        size = len(self.script)
        while size:
            numbers = sorted(self.script)
            end = len(numbers)
            while end > 0:
                out = set(numbers[max(0, end - size) : end])
                if self.accept({n: t for n, t in self.script.items() if n not in out}):
                    numbers = sorted(self.script)
                    end = min(end, len(numbers) + size)
                end -= size
            size = size // 2

    def lower(self) -> None:
        """Take options nearer to the dull one; of many, by halves."""
        for number in sorted(self.script):
            if self.script.get(number, 0) > MANY:
                self._halve(number)
            for taken in range(1, min(self.script.get(number, 0), MANY + 1)):
                if self.accept({**self.script, number: taken}):
                    break

    def _halve(self, number: int) -> None:
        passes, fails = 0, self.script[number]
        while fails - passes > 1 and self.left:
            half = (passes + fails) // 2
            if self.accept({**self.script, number: half}):
                fails = self.script.get(number, 0)
            else:
                passes = half


def shrink(attempt: Attempt, world: World, error: BaseException) -> tuple[World, BaseException]:
    """The world and the error of the simplest run found that fails as this one did."""
    work = _Shrinking(attempt, world, error)
    before = -1
    while len(work.script) != before and work.left:
        before = len(work.script)
        work.drop_chunks()
    work.lower()
    return work.world, work.error
