"""Sinks that write a unit as a whole: all of it, in one step, or nothing.

Elements are parked as they come. When their scope is gathered, what is held is the whole unit on
this branch of the graph, and it is committed. Units that were abandoned are dropped, with those of
their elements that come late: another attempt at the same unit may be behind them already.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from actors_rs.delivery.ack import Bundle, Disposition, Scope, Token, Tracked, Unit
from actors_rs.delivery.carrying.surviving import Surviving
from actors_rs.errors import DeciderError
from actors_rs.stages.failure import Policy
from actors_rs.stages.sinks.files import WritingSink
from actors_rs.stages.stage import Budget

__all__ = ["UnitSink"]

H = TypeVar("H")


class UnitSink(Surviving, WritingSink, Generic[H]):
    """Subclasses say what they hold of a unit (an ``H``) and how that is committed.

    ``units`` and ``elements`` count what was committed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.units = self.elements = 0
        self._held: dict[Scope, tuple[H, list[Token | Bundle]]] = {}
        self._ready: deque[Scope] = deque()  # appended to on any thread
        self._refused: Exception | None = None  # why no unit can be begun
        self._run_key: str | None = None  # of the units so far; "" for those that are in no ledger

    def take_from(self, run_key: str) -> None:
        """Units of ``run_key`` are about to come, behind those of another, or as the first."""

    def begin(self, unit: Unit) -> H:
        """The first element of ``unit`` has come."""
        raise NotImplementedError

    def add(self, held: H, value: Any, /) -> None:
        """One more element."""
        raise NotImplementedError

    def commit(self, unit: Unit, held: H, /, *, last: bool) -> None:
        """Make what is held durable, in one step; may be called again for the same unit.

        If it raises, what is held is discarded.
        ``last``: nobody else holds anything of the unit, so with this it is done.
        """
        raise NotImplementedError

    def discard(self, held: H, /) -> None:
        """What is held is not to be written."""

    def consume(self, elements: Iterator[Tracked], /) -> None:
        for tracked in elements:
            scope = tracked.token.scope
            if scope not in self._held:
                if scope.unit.abandoned:
                    continue
                self._held[scope] = (self._begun(scope.unit), [])
                scope.when_gathered(partial(self._gathered, scope))
            held, tokens = self._held[scope]
            self.add(held, tracked.value)
            tokens.append(tracked.token)
            tracked.token.park()

    def renew(self, error: BaseException, position: int | None) -> None:
        """Go on as ``resume`` does: with fresh state, parts of units would be taken for wholes."""

    def advance(self, budget: Budget) -> None:
        self.settle_ready()
        super().advance(budget)
        self.settle_ready()  # an error that is here already leaves no further turn

    def settle_ready(self) -> None:
        """Commit the units that are whole."""
        while self._ready and not self.inlet.cancelled:
            self._settle(self._ready.popleft())

    @property
    def settled(self) -> bool:
        return not self._held

    @property
    def waits_outside(self) -> bool:  # type: ignore[override]
        return bool(self._held)  # for what others do with the rest of a unit

    @property
    def finished(self) -> bool:
        return super().finished and (self.completed or not self._waits)

    def stop(self, error: BaseException | None) -> None:
        for held, _ in self._held.values():
            self.discard(held)
        self._held.clear()

    def details(self) -> dict[str, Any]:
        return {"units": self.units, "elements": self.elements, "held": len(self._held)}

    @property
    def _waits(self) -> bool:
        """Whether upstream has completed, and units are held that other stages still work on."""
        return not self.inlet.cancelled and self.inlet.error is None

    def _begun(self, unit: Unit) -> H:
        run_key = "" if unit.entry is None else unit.entry.run_key
        try:
            if run_key != self._run_key:
                self.take_from(run_key)
                self._run_key = run_key
            return self.begin(unit)
        except Exception as error:
            self._refused = error
            raise

    def _decide(self, error: BaseException, element: Any) -> tuple[Policy, DeciderError | None]:
        """Whatever the policy, a directory that is another run's is no element's fault: to pass
        over would mean to lose all that comes."""
        if error is self._refused:
            return "stop", None
        return super()._decide(error, element)

    def _gathered(self, scope: Scope) -> None:
        self._ready.append(scope)
        self.context.post(lambda: None)  # advance looks

    def _settle(self, scope: Scope) -> None:
        held, tokens = self._held.pop(scope)
        if scope.unit.abandoned:
            self.discard(held)
            return
        shares = sum(token.shares for token in tokens)
        try:
            self.commit(scope.unit, held, last=scope.is_all_that_is_left(shares))
        except BaseException:
            with suppress(Exception):  # why it was not committed is what is to be heard of
                self.discard(held)
            raise
        self.units += 1
        self.elements += len(tokens)
        for token in tokens:
            token.settle(Disposition.DELIVERED)
