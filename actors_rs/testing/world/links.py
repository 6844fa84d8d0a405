"""The rules of links in a world: as ``RuleMonitor`` judges them, at a tenth of its cost.

In one thread no two signals overlap, so a look at two numbers shows whether a signal between two
stages is legal. An illegal one goes to a ``RuleMonitor``, after all signals before it. The
monitor names the rule and the way in which it was broken.
"""

from __future__ import annotations

from actors_rs.engine.contract import Scope
from actors_rs.engine.monitored import link_monitor
from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.protocol.link import Kind, Signal
from actors_rs.stages.chunks.peers import Downstream, Frame, Upstream
from actors_rs.texts import class_name_of

__all__ = ["watched"]

ON_NEXT, ON_COMPLETE, ON_ERROR = Kind.ON_NEXT, Kind.ON_COMPLETE, Kind.ON_ERROR
REQUEST, CANCEL = Kind.REQUEST, Kind.CANCEL  # to look a member up takes longer than the rest


class _Down:
    """Elements and ends, on their way to an inlet; and what is known of the link.

    ``phase`` is 0 while it is alive, 1 cancelled, 2 ended.
    """

    __slots__ = ("_down", "_history", "_names", "_scope", "demand", "note", "phase")

    def __init__(self, scope: Scope, names: tuple[str, str], down: Downstream) -> None:
        self._scope = scope
        self._names = names
        self._down = down
        self.demand = 0
        self.phase = 0
        self._history: list[tuple[Kind, int, str]] = []
        self.note = self._history.append

    def broken(self, kind: Kind, n: int = 1, note: str = "") -> None:
        """The signal breaks a rule: let the monitor say so, and end the run."""
        monitor = link_monitor(*self._names, self._scope.abort)
        for past in ((Kind.ON_SUBSCRIBE, 1, ""), *self._history, (kind, n, note)):
            signal = Signal(past[0], past[1], note=past[2])
            if monitor.begin(signal)[1]:
                monitor.end(signal)

    def push(self, frame: Frame, /) -> None:
        demand, size = self.demand, len(frame)
        if self.phase == 2 or size > demand:
            self.broken(ON_NEXT, size)
            return
        if demand < UNBOUNDED:
            self.demand = demand - size
        note = self.note  # as a variable: called as a method it takes twice as long
        note((ON_NEXT, size, ""))
        self._down.push(frame)

    def complete(self) -> None:
        if self._ends(ON_COMPLETE, ""):
            self._down.complete()

    def fail(self, error: BaseException, /) -> None:
        if self._ends(ON_ERROR, class_name_of(error)):
            self._down.fail(error)

    def _ends(self, kind: Kind, note: str) -> bool:
        if self.phase == 2:
            self.broken(kind, 1, note)
            return False
        self.phase = 2
        self.note((kind, 1, note))
        return True


class _Up:
    """Requests and cancellation, on their way to an outlet."""

    __slots__ = ("_link", "_up")

    def __init__(self, link: _Down, up: Upstream) -> None:
        self._link = link
        self._up = up

    def request(self, n: int, /) -> None:
        link = self._link
        if not link.phase:
            if n < 1:
                link.broken(REQUEST, n)
                return
            demand = link.demand + n
            link.demand = demand if demand < UNBOUNDED else UNBOUNDED
        note = link.note
        note((REQUEST, n, ""))
        self._up.request(n)

    def cancel(self, cause: BaseException | None = None, /) -> None:
        link = self._link
        link.phase = link.phase or 1
        link.note((CANCEL, 1, ""))
        self._up.cancel(cause)


def watched(
    scope: Scope, names: tuple[str, str], down: Downstream, up: Upstream
) -> tuple[Downstream, Upstream]:
    """``down`` and ``up`` of one link, watched; ``names`` are the stages at its ends."""
    link = _Down(scope, names, down)
    return link, _Up(link, up)
