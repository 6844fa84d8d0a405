"""Sinks that write a unit as a whole: all of it, in one step, or nothing.

A sink parks elements as they come. Once their scope is gathered, the parked elements are the whole
unit on this branch of the graph, and the sink commits them. It drops abandoned units, and elements
of them that come late: another attempt at the same unit may follow already.

A sink often learns only while it writes the unit which element cannot be written. It then asks
`PassesOver`: by the stage's policy either the element becomes a dead letter and the rest of the
unit is committed, or the stage fails and nothing of the unit is committed.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

from actors_rs.delivery.ack import Bundle, Disposition, Scope, Token, Tracked, Unit
from actors_rs.delivery.carrying.surviving import Surviving
from actors_rs.delivery.outputs import Output
from actors_rs.errors import DeciderError
from actors_rs.stages.failure import Policy
from actors_rs.stages.sinks.files.writing import WritingSink
from actors_rs.stages.stage import Budget

__all__ = ["PassesOver", "UnitSink"]

H = TypeVar("H")
PassesOver: TypeAlias = Callable[[int, Any, Exception], bool]
"""Whether to go on without a value that made the sink raise, which came of the unit's element of
this number. If not, the sink has failed, and must write nothing of the unit."""


class _Held(Generic[H]):
    """The parked elements of one unit, on this branch of the graph."""

    __slots__ = ("passed_over", "positions", "tokens", "what")

    def __init__(self, what: H) -> None:
        self.what = what
        self.tokens: list[Token | Bundle] = []
        self.positions = array("q")  # of the elements in the stream, for messages
        self.passed_over: set[int] = set()  # the numbers of elements that are dead letters

    def settle(self) -> None:
        """It has been committed."""
        for number, token in enumerate(self.tokens):
            bad = number in self.passed_over
            token.settle(Disposition.DEAD_LETTERED if bad else Disposition.DELIVERED)


class UnitSink(Surviving, WritingSink, Generic[H]):
    """Subclasses say what they hold of a unit (an ``H``) and how that is committed.

    ``units`` and ``elements`` count what was committed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.units = self.elements = 0
        self._held: dict[Scope, _Held[H]] = {}
        self._drawn = 0  # elements so far
        self._ready: deque[Scope] = deque()  # appended to on any thread
        self._refused: Exception | None = None  # why no unit can be begun
        self._reported_run: str | None = None  # its ledger knows that something is delivered
        self._run_key: str | None = None  # of the units so far; "" without a ledger

    output: Output | None = None
    """Where it writes to, for ledgers; ``None`` where its loss could not be noticed."""

    def take_from(self, run_key: str) -> None:
        """Called before the first unit of each ``run_key``."""

    def begin(self, unit: Unit, passes_over: PassesOver) -> H:
        """The first element of ``unit`` has come."""
        raise NotImplementedError

    def add(self, held: H, value: Any, /) -> None:
        """One more element; if it raises, that is the one at fault, and nothing of it is held."""
        raise NotImplementedError

    def commit(self, unit: Unit, held: H, /, *, last: bool) -> None:
        """Make the unit durable, in one step; may be called again for the same unit.

        If it raises, or the stage fails over a value, ``discard`` follows.
        ``last``: no other sink holds a part of the unit, so this commit completes it.
        """
        raise NotImplementedError

    def discard(self, held: H, /) -> None:
        """Drop the unit without writing it."""

    def consume(self, elements: Iterator[Tracked], /) -> None:
        for tracked in elements:
            position, self._drawn = self._drawn, self._drawn + 1
            token = tracked.token
            held = self._held.get(token.scope)
            if held is None:
                if token.scope.unit.abandoned:
                    continue
                held = self._begun(token.scope)
            held.tokens.append(token)
            held.positions.append(position)
            token.park()
            try:
                self.add(held.what, tracked.value)
            except Exception as error:
                self._passes_over(token.scope, len(held.tokens) - 1, tracked.value, error)
            if self.inlet.cancelled:  # it has failed, maybe for an element that came before
                return

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
        for held in self._held.values():
            self.discard(held.what)
        self._held.clear()

    def details(self) -> dict[str, Any]:
        return {"units": self.units, "elements": self.elements, "held": len(self._held)}

    @property
    def _waits(self) -> bool:
        """Whether upstream has completed, and units are held that other stages still work on."""
        return not self.inlet.cancelled and self.inlet.error is None

    def _begun(self, scope: Scope) -> _Held[H]:
        unit = scope.unit
        run_key = "" if unit.entry is None else unit.entry.run_key
        try:
            if run_key != self._run_key:
                self.take_from(run_key)
                self._run_key = run_key
            what = self.begin(unit, partial(self._passes_over, scope))
        except Exception as error:
            self._refused = error
            raise
        held = self._held[scope] = _Held(what)
        scope.when_gathered(partial(self._gathered, scope))
        return held

    def _passes_over(self, scope: Scope, number: int, value: Any, error: Exception) -> bool:
        """See `PassesOver`; the element's token is settled with its unit."""
        held = self._held[scope]
        if not WritingSink.survives(self, error, value, held.positions[number]):
            return False
        held.passed_over.add(number)
        return True

    def _decide(self, error: BaseException, element: Any) -> tuple[Policy, DeciderError | None]:
        """A directory of another run is no element's fault: it stops the stage under any policy."""
        if error is self._refused:
            return "stop", None
        return super()._decide(error, element)

    def _gathered(self, scope: Scope) -> None:
        self._ready.append(scope)
        self.context.post(lambda: None)  # advance looks

    def _settle(self, scope: Scope) -> None:
        """Commit a unit that is whole, or discard what is held of it."""
        held = self._held[scope]
        try:
            if not scope.unit.abandoned and self._has_committed(scope, held):
                self.units += 1
                self.elements += len(held.tokens) - len(held.passed_over)
                held.settle()
            else:
                self.discard(held.what)
        finally:
            del self._held[scope]

    def _has_committed(self, scope: Scope, held: _Held[H]) -> bool:
        """False if the sink has failed for one of the elements."""
        shares = sum(token.shares for token in held.tokens)
        try:
            self.commit(scope.unit, held.what, last=scope.is_all_that_is_left(shares))
        except BaseException:
            with suppress(Exception):  # the error of the commit is the one to report
                self.discard(held.what)
            raise
        if self.inlet.cancelled:
            return False
        self._tell(scope.unit)
        return True

    def _tell(self, unit: Unit) -> None:
        """Have the ledger know that something is there; later, since a note may outlive a crash."""
        entry = unit.entry
        if entry is not None and self.output is not None and self._reported_run != entry.run_key:
            entry.delivered(self.output)
            self._reported_run = entry.run_key
