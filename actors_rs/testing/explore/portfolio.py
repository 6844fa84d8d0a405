"""Portfolios: several strategies that take turns, since none finds everything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.runtime.settings import check_count, check_int, check_rate
from actors_rs.testing.decisions import FAULT_RATE, Decisions, Pct, RandomWalk
from actors_rs.testing.explore.systematic import BoundedDfs, Exhaustive
from actors_rs.texts import one_of, repr_of

__all__ = ["PORTFOLIO", "STRATEGIES", "Strategy", "decisions_of_runs"]

PORTFOLIO = ("random", "pct", "random", "dfs")
"""What takes turns unless a test says otherwise."""
DEPTHS = (2, 3, 4)
LENGTHS = (20, 60, 200)


class Strategy(Protocol):
    """Gives the decisions of one run after the other."""

    def next_run(self) -> Decisions | None:
        """Decisions for the next run, ``None`` if all runs there are have been made."""
        ...


class _Seeded:
    """A strategy that draws: each run from another seed."""

    def __init__(self, seed: int, make: Callable[[int, int], Decisions]) -> None:
        self._seed = seed
        self._make = make
        self._runs = 0

    def next_run(self) -> Decisions:
        """Decisions from the next seed."""
        self._runs += 1
        return self._make(self._seed * 1_000_003 + self._runs, self._runs)


def _random(seed: int, fault_rate: float) -> Strategy:
    return _Seeded(seed, lambda own, _: RandomWalk(own, fault_rate=fault_rate))


def _pct(seed: int, fault_rate: float) -> Strategy:
    def make(own: int, run: int) -> Decisions:
        depth, length = DEPTHS[run % 3], LENGTHS[run // 3 % 3]
        return Pct(own, depth, length=length, fault_rate=fault_rate)

    return _Seeded(seed, make)


def _dfs(seed: int, fault_rate: float) -> Strategy:
    return BoundedDfs(2, fault_rate=fault_rate)


def _exhaustive(seed: int, fault_rate: float) -> Strategy:
    return Exhaustive()


STRATEGIES: dict[str, Callable[[int, float], Strategy]] = {
    "random": _random,
    "pct": _pct,
    "dfs": _dfs,
    "exhaustive": _exhaustive,
}
"""By name: what makes a strategy from a seed and a fault rate."""


def strategies(portfolio: Sequence[str], seed: int, fault_rate: float) -> list[Strategy]:
    """The strategies of ``portfolio``; raises ``InvalidArgumentError`` for an unknown one."""
    if isinstance(portfolio, str):
        portfolio = (portfolio,)
    if not isinstance(portfolio, Sequence) or not all(isinstance(one, str) for one in portfolio):
        raise ArgumentTypeError(f"portfolio must be names of strategies, got {repr_of(portfolio)}")
    if not portfolio:
        raise InvalidArgumentError("a portfolio needs at least one strategy, got none")
    for name in portfolio:
        if name not in STRATEGIES:
            raise InvalidArgumentError(f"portfolio: expected {one_of(STRATEGIES, name)}")
    made = {name: STRATEGIES[name](seed, fault_rate) for name in dict.fromkeys(portfolio)}
    return [made[name] for name in portfolio]


class decisions_of_runs:  # noqa: N801 - used like a generator, which could not tell that it ended
    """Iterates over the decisions of up to ``runs`` runs, the strategies taking turns.

    ``exhausted`` tells, in the end, whether there was no further run to make.
    """

    def __init__(
        self, portfolio: Sequence[str], runs: int, seed: int, fault_rate: float = FAULT_RATE
    ) -> None:
        check_count("runs", runs)
        check_int("seed", seed)
        check_rate("faults", fault_rate)
        self._strategies = strategies(portfolio, seed, fault_rate)
        self._left = runs
        self._turn = 0
        self.exhausted = False

    def __iter__(self) -> decisions_of_runs:
        return self

    def __next__(self) -> Decisions:
        while self._strategies and self._left:
            index = self._turn % len(self._strategies)
            strategy = self._strategies[index]
            decisions = strategy.next_run()
            if decisions is not None:
                self._turn = index + 1
                self._left -= 1
                return decisions
            self._strategies = [one for one in self._strategies if one is not strategy]
        self.exhausted = not self._strategies
        raise StopIteration
