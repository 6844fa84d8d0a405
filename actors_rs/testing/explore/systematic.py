"""Systematic search: run after run, each different from all before it, until there is no other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.settings import check_int, check_rate
from actors_rs.testing.decisions import FAULT_RATE, Choice, Decisions, Scripted

__all__ = ["BoundedDfs", "Exhaustive", "Pruned"]

T = TypeVar("T")


class BoundedDfs:
    """All runs with at most ``max_deviations`` choices that are not dull, fewest first.

    ``next_run`` gives the decisions of the next run; the run must have been made before it is
    called again, for what can be decided shows only then. A fault is one such choice, however
    often one may happen; but at a ``fault_rate`` of 0 none does, and at one of 1 all do.
    """

    def __init__(self, max_deviations: int = 2, *, fault_rate: float = FAULT_RATE) -> None:
        check_int("max_deviations", max_deviations)
        if max_deviations < 0:
            raise InvalidArgumentError(f"max_deviations must be 0 or more, got {max_deviations}")
        check_rate("fault_rate", fault_rate)
        self._most = max_deviations
        self._faults_are_settled = fault_rate in (0, 1)
        self._make: Callable[[dict[int, int]], Scripted] = _Failing if fault_rate == 1 else Scripted
        self._made: Scripted | None = None
        self._script: dict[int, int] = {}
        self._open: deque[Iterator[dict[int, int]]] = deque([iter([{}])])

    def next_run(self) -> Decisions | None:
        """The decisions of the next run, ``None`` when all have been made."""
        if self._made is not None and len(self._script) < self._most:
            self._open.append(_deviate(self._script, self._made, self._faults_are_settled))
        while self._open:
            script = next(self._open[0], None)
            if script is not None:
                self._script, self._made = script, self._make(script)
                return self._made
            self._open.popleft()
        return None


class _Failing(Scripted):
    """As the script says, and each fault happens; that is no deviation for the search."""

    def choose(self, what: str, options: Sequence[T]) -> T:
        if len(options) > 1 and _is_fault(what):
            self._script.setdefault(len(self._made), 1)
        return super().choose(what, options)


def _is_fault(what: str) -> bool:
    return what.startswith("fault:")


def _deviate(
    script: dict[int, int], made: Decisions, faults_are_settled: bool
) -> Iterator[dict[int, int]]:
    """``script`` with one more deviation, after its last one; keeps nothing of ``made``."""
    begin = max(script, default=-1) + 1

    def options(choice: Choice) -> int:
        return 1 if faults_are_settled and _is_fault(choice.what) else choice.options

    return _each(script, begin, tuple([options(choice) for choice in made.made[begin:]]))


def _each(script: dict[int, int], begin: int, counts: tuple[int, ...]) -> Iterator[dict[int, int]]:
    for number, options in enumerate(counts, begin):
        for taken in range(1, options):
            yield {**script, number: taken}


class Pruned(BaseException):
    """This run would only repeat one that was made, with independent steps in another order."""


@dataclass(slots=True)
class _Node:
    """A point at which the order was decided.

    ``slept`` need not be tried here, ``tried`` has been. ``done`` are the tried ones that can sleep
    further on. ``touched`` is the state that the chosen one touches, ``None`` for all.
    """

    names: tuple[str, ...]
    slept: dict[str, frozenset[int]]
    chosen: str
    touched: frozenset[int] | None = None
    tried: set[str] = field(default_factory=set)
    done: dict[str, frozenset[int]] = field(default_factory=dict)

    def next_choice(self) -> bool:
        """Go on to a step not tried yet; False if there is none."""
        if self.touched is not None:  # else it depends on all others: nothing may be left out
            self.done[self.chosen] = self.touched
        self.tried.add(self.chosen)
        for name in self.names:
            if name not in self.tried and name not in self.slept:
                self.chosen, self.touched = name, None
                return True
        return False


class Exhaustive:
    """Every order of steps, once each up to swapping steps that do not touch each other.

    Two steps are independent if their actors differ, neither sends to the other's, and they send
    to no actor both (sleep sets). All that is not the order is dull.
    """

    def __init__(self) -> None:
        self._stack: list[_Node] = []
        self._began = False

    def next_run(self) -> Decisions | None:
        """The decisions of the next run, ``None`` when all have been made."""
        if self._began:
            while self._stack and not self._stack[-1].next_choice():
                self._stack.pop()
            if not self._stack:
                return None
        self._began = True
        return _Visit(self._stack)


class _Visit(Decisions):
    """One run along the stack and beyond it.

    Once it is ``pruned`` the world is only taken down: that is decided dully, and not searched.
    """

    notes_effects = True

    def __init__(self, stack: list[_Node]) -> None:
        super().__init__()
        self._stack = stack
        self._at = 0
        self._node: _Node | None = None
        self._asleep: dict[str, frozenset[int]] = {}

    def choose(self, what: str, options: Sequence[T]) -> T:
        if self.pruned:
            return options[0]
        steps: Sequence[Any] = options
        if what != "order" or len(steps) > 1:
            return super().choose(what, options)
        if steps[0].name in self._asleep:
            self._prune()
        self._node = None
        return options[0]

    def pick(self, what: str, options: Sequence[Any]) -> int:
        if what != "order":
            return 0
        names = tuple(option.name for option in options)
        if self._at == len(self._stack):
            awake = [name for name in names if name not in self._asleep]
            if not awake:
                self._prune()
            self._stack.append(_Node(names, dict(self._asleep), awake[0]))
        self._node = self._stack[self._at]
        self._at += 1
        return names.index(self._node.chosen)

    def _prune(self) -> NoReturn:
        self.pruned = True
        raise Pruned

    def ran(self, step: str, touched: frozenset[int]) -> None:
        if self.pruned:
            return
        asleep = self._asleep
        if self._node is not None:
            self._node.touched = touched
            asleep = {**self._node.slept, **self._node.done}
        self._asleep = {name: other for name, other in asleep.items() if not other & touched}

    def resumed(self) -> None:
        if self.pruned:
            return
        if self._node is not None:
            self._node.touched = None
        self._asleep = {}
