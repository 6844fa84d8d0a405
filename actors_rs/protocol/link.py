"""One subscription as pure state machines: what each of its two ends may do next.

A link is seen from its middle, where every signal of the publisher and every call of the
subscriber passes. ``publisher_signal`` and ``subscriber_call`` judge one of them each: they give
the next ``LinkState`` or the ``Violation``. ``enter`` and ``leave`` judge which signals overlap in
time. All are values and functions of values: no thread, no lock, no reference to an element.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from actors_rs.errors import DefectError
from actors_rs.protocol.demand import less_demand, more_demand

__all__ = [
    "Inside",
    "Kind",
    "LinkState",
    "Phase",
    "Signal",
    "Violation",
    "enter",
    "leave",
    "publisher_signal",
    "subscriber_call",
]


class Kind(Enum):
    """The six signals of the standard."""

    ON_SUBSCRIBE = "on_subscribe"
    ON_NEXT = "on_next"
    ON_ERROR = "on_error"
    ON_COMPLETE = "on_complete"
    REQUEST = "request"
    CANCEL = "cancel"


TERMINAL = (Kind.ON_ERROR, Kind.ON_COMPLETE)
CALLS = (Kind.REQUEST, Kind.CANCEL)


class Phase(Enum):
    """How far a subscription has come."""

    NEW = "no on_subscribe yet"
    ACTIVE = "subscribed"
    CANCELLED = "cancelled, elements may still be under way"
    ENDED = "completed or failed"


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal, without what it carried: a record of it keeps no element alive.

    ``n`` is the number of elements of an ``on_next`` (a frame of n counts as n) or the number
    requested. ``wrong`` says what came where the argument is none that this signal takes, and
    ``note`` what else is worth telling, such as the class of an error.
    """

    kind: Kind
    n: int = 1
    wrong: str = ""
    note: str = ""

    def __str__(self) -> str:
        name, argument = self.kind.value, self.wrong or self.note
        if self.kind is Kind.REQUEST:
            return f"{name}({argument or self.n})"
        if argument:
            return f"{name}({argument})"
        return name if self.n == 1 else f"{name} of {self.n} elements"


@dataclass(frozen=True, slots=True)
class LinkState:
    """The state of a subscription between two signals.

    ``demand`` is the number of elements requested and not yet delivered, saturating at
    ``UNBOUNDED`` (3.17). ``late`` counts elements that came after ``cancel``. They are allowed for
    a while (1.8, 2.8), and never beyond the number that had been requested.
    """

    phase: Phase = Phase.NEW
    demand: int = 0
    late: int = 0


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule was broken. ``after`` are the kinds of the earlier signal that made it wrong."""

    rule: str
    text: str
    after: tuple[Kind, ...] = ()


_NEEDS = {
    Kind.ON_SUBSCRIBE: "a Subscription",
    Kind.ON_NEXT: "an element",
    Kind.ON_ERROR: "an exception",
}


def publisher_signal(state: LinkState, signal: Signal) -> LinkState | Violation:
    """The state after the publisher signalled ``signal``, or what it broke by that."""
    if signal.wrong:
        needs = _NEEDS.get(signal.kind, "no argument")
        return Violation("2.13", f"{signal.kind.value} needs {needs}, got {signal.wrong}")
    match state.phase, signal.kind:
        case Phase.NEW, Kind.ON_SUBSCRIBE:
            return replace(state, phase=Phase.ACTIVE)
        case _, Kind.ON_SUBSCRIBE:
            return Violation("2.12", "a second on_subscribe", (Kind.ON_SUBSCRIBE,))
        case Phase.NEW, Kind.ON_NEXT | Kind.ON_ERROR | Kind.ON_COMPLETE:
            return Violation("1.9", f"{signal} before on_subscribe")
        case Phase.ENDED, Kind.ON_NEXT | Kind.ON_ERROR | Kind.ON_COMPLETE:
            return Violation("1.7", f"{signal} after the end", TERMINAL)
        case _, Kind.ON_NEXT:
            return _deliver(state, signal.n)
        case _, Kind.ON_ERROR | Kind.ON_COMPLETE:
            return replace(state, phase=Phase.ENDED)
    raise DefectError(f"{signal.kind} is no signal of a publisher")


def _deliver(state: LinkState, n: int) -> LinkState | Violation:
    if n > state.demand:
        text = f"{state.demand} elements requested and not yet delivered, {n} more delivered"
        return Violation("1.1", text, (Kind.REQUEST, Kind.ON_SUBSCRIBE))
    late = state.late + n if state.phase is Phase.CANCELLED else state.late
    return replace(state, demand=less_demand(state.demand, n), late=late)


def subscriber_call(
    state: LinkState, call: Signal, within: Kind | None = None
) -> LinkState | Violation:
    """The state after the subscriber called its subscription, or what it broke by that.

    ``within`` is the signal that the subscriber is in the midst of on the calling thread.
    """
    if within in TERMINAL:
        return Violation("2.3", f"{call} called from inside {within.value}", (within,))
    match state.phase, call.kind:
        case Phase.NEW, Kind.REQUEST | Kind.CANCEL:
            return Violation("3.1", f"{call} called before on_subscribe gave the subscription")
        case ((Phase.CANCELLED | Phase.ENDED), (Kind.REQUEST | Kind.CANCEL)):
            return state  # nothing happens, with any argument: 3.6, 3.7
        case Phase.ACTIVE, Kind.REQUEST:
            if call.wrong or call.n < 1:
                text = f"request(n) needs an int of at least 1, got {call.wrong or call.n}"
                return Violation("3.9", text, (Kind.ON_SUBSCRIBE, Kind.REQUEST, Kind.ON_NEXT))
            return replace(state, demand=more_demand(state.demand, call.n))
        case Phase.ACTIVE, Kind.CANCEL:
            return replace(state, phase=Phase.CANCELLED)
    raise DefectError(f"{call.kind} is no call of a subscriber")


@dataclass(frozen=True, slots=True)
class Inside:
    """The signals of one end that have begun and not returned: innermost last, on one thread."""

    thread: int | None = None
    signals: tuple[Signal, ...] = ()

    def innermost(self, thread: int) -> Kind | None:
        """The signal that ``thread`` is in the midst of."""
        return self.signals[-1].kind if self.signals and self.thread == thread else None


def enter(inside: Inside, thread: int, signal: Signal, deepest: int) -> Inside | Violation:
    """``signal`` begins on ``thread``; the violation if another thread is still in one.

    On the same thread a signal may be nested in another (3.2, 3.10), yet ``on_next`` in itself
    no deeper than ``deepest`` times (3.3).
    """
    if inside.signals and inside.thread != thread:
        rule = "2.7" if signal.kind in CALLS else "1.3"
        running = inside.signals[-1]
        return Violation(rule, f"{signal} began before {running} had returned", (running.kind,))
    nested = sum(outer.kind is Kind.ON_NEXT for outer in inside.signals)
    if signal.kind is Kind.ON_NEXT and nested >= deepest:
        text = f"on_next called from inside on_next {nested} deep"
        return Violation("3.3", text, (Kind.REQUEST,))
    return Inside(thread, (*inside.signals, signal))


def leave(inside: Inside) -> Inside:
    """The innermost signal has returned."""
    rest = inside.signals[:-1]
    return Inside(inside.thread if rest else None, rest)
