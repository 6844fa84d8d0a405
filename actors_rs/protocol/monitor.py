"""``RuleMonitor``: watches one link and turns every broken rule into a ``ProtocolViolation``.

It stands in the middle of a link, between any Publisher and any Subscriber, ours or foreign, and
judges each signal before it goes on. It makes no thread and no lock: the code that makes a monitor
passes in the lock, and the function that tells threads apart.
"""

from __future__ import annotations

import sys
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any

from actors_rs.errors import ProtocolViolation
from actors_rs.protocol.checks import FrameSubscriber, shown, takes_frames
from actors_rs.protocol.interfaces import Subscriber, Subscription, is_subscription
from actors_rs.protocol.link import (
    CALLS,
    Inside,
    Kind,
    LinkState,
    Signal,
    Violation,
    enter,
    leave,
    publisher_signal,
    subscriber_call,
)
from actors_rs.protocol.rules import rule
from actors_rs.texts import class_name_of, repr_of

__all__ = ["CheckedSubscriber", "CheckedSubscription", "RuleMonitor"]

REMEMBERED = 32
"""How many signals and violations a monitor remembers."""


class RuleMonitor:
    """The rules of one link, watched. Thread-safe if ``lock`` excludes and ``thread`` identifies.

    ``publisher`` and ``subscriber`` name the ends in messages. ``on_violation`` is called for each
    violation, on the thread that broke the rule and before the signal goes on; it must not raise.
    ``deepest`` is how often ``on_next`` may be nested in itself (3.3).
    """

    def __init__(
        self,
        publisher: str,
        subscriber: str,
        *,
        lock: AbstractContextManager[Any],
        thread: Callable[[], int],
        on_violation: Callable[[ProtocolViolation], None] | None = None,
        deepest: int = 64,
    ) -> None:
        self.link = f"'{publisher}' -> '{subscriber}'"
        self._lock = lock
        self._thread = thread
        self._on_violation = on_violation
        self._deepest = deepest
        self._state = LinkState()
        self._inside = {True: Inside(), False: Inside()}  # by whether a subscriber's call
        self._frames: dict[bool, list[FrameType]] = {True: [], False: []}  # where they came from
        self._recent: deque[Signal] = deque(maxlen=REMEMBERED)
        self._last: dict[Kind, tuple[int, Signal]] = {}  # of each kind, with its number
        self._count = 0
        self._violations: deque[ProtocolViolation] = deque(maxlen=REMEMBERED)

    @property
    def state(self) -> LinkState:
        """The link at this moment: its phase, the demand, and how many elements came late."""
        return self._state

    @property
    def recent(self) -> tuple[Signal, ...]:
        """The last signals, oldest first."""
        with self._lock:
            return tuple(self._recent)

    @property
    def violations(self) -> tuple[ProtocolViolation, ...]:
        """The last violations, oldest first."""
        with self._lock:
            return tuple(self._violations)

    def wrap_subscriber(self, subscriber: Subscriber[Any]) -> CheckedSubscriber:
        """A Subscriber to subscribe in place of ``subscriber``: it checks and passes on.

        The Subscription that ``subscriber`` gets is checked too. In front of one that takes
        frames this one does, a frame of n being n elements.
        """
        if takes_frames(subscriber):
            return CheckedFrameSubscriber(self, subscriber)
        return CheckedSubscriber(self, subscriber)

    def call(self, signal: Signal, target: Callable[..., None], *args: Any) -> None:
        """Judge ``signal``, then pass it on by calling ``target``; an exception is noted too."""
        is_failure = signal.kind is Kind.ON_ERROR and not signal.wrong
        _, entered = self.begin(signal, args[0] if is_failure else None)
        try:
            target(*args)
        except BaseException as error:  # a SystemExit is no better: signals return normally
            self._raised(signal, error)
            raise
        finally:
            if entered:
                self.end(signal)

    def begin(self, signal: Signal, cause: BaseException | None = None) -> tuple[bool, bool]:
        """``signal`` begins: whether it was legal, and whether ``end`` must be called for it.

        ``cause`` is an error of the signal, which a violation must not hide.
        """
        thread, caller, is_call = self._thread(), sys._getframe(1), signal.kind in CALLS
        with self._lock:
            entered = enter(self._inside[is_call], thread, signal, self._deepest)
            judged = self._judge(signal, thread)
            found = [
                self._explain(one, signal, caller)
                for one in (entered, judged)
                if isinstance(one, Violation)
            ]
            if isinstance(entered, Inside):
                self._inside[is_call] = entered
                self._frames[is_call].append(caller)
            if isinstance(judged, LinkState):
                self._state = judged
            self._remember(signal)
            self._violations.extend(found)
        for violation in found:
            violation.__cause__ = cause
        self._report(found)
        return not found, isinstance(entered, Inside)

    def end(self, signal: Signal) -> None:
        """``signal`` has returned; on the thread it began on."""
        is_call = signal.kind in CALLS
        with self._lock:
            self._inside[is_call] = leave(self._inside[is_call])
            self._frames[is_call].pop()

    def _judge(self, signal: Signal, thread: int) -> LinkState | Violation:
        if signal.kind in CALLS:
            return subscriber_call(self._state, signal, self._inside[False].innermost(thread))
        return publisher_signal(self._state, signal)

    def _remember(self, signal: Signal) -> None:
        self._count += 1
        self._recent.append(signal)
        self._last[signal.kind] = self._count, signal

    def _raised(self, signal: Signal, error: BaseException) -> None:
        """A peer let an exception out, which is right only for an argument of the wrong type."""
        if signal.wrong and isinstance(error, TypeError):
            return
        broken = {Kind.REQUEST: "3.16", Kind.CANCEL: "3.15"}.get(signal.kind, "2.13")
        with self._lock:
            found = self._explain(
                Violation(broken, f"{signal} raised {repr_of(error)}"), signal, None
            )
            self._violations.append(found)
        found.__cause__ = error
        self._report([found])

    def _report(self, found: list[ProtocolViolation]) -> None:
        if self._on_violation is not None:
            for violation in found:
                self._on_violation(violation)

    def _explain(
        self, violation: Violation, signal: Signal, caller: FrameType | None
    ) -> ProtocolViolation:
        """The exception for ``violation``, with all that helps to find out who was wrong."""
        known = (self._last[kind] for kind in violation.after if kind in self._last)
        earlier = max(known, key=lambda numbered: numbered[0], default=None)
        signals: tuple[str, ...] = (str(signal),)
        text = f"{violation.text} on the link {self.link}"
        if earlier is not None:
            signals = (str(earlier[1]), str(signal))
            text += f" ({signal} after {earlier[1]})"
        stacks = self._both_stacks(violation, caller)
        error = ProtocolViolation(
            violation.rule, text, link=self.link, signals=signals, stacks=stacks
        )
        error.add_note(f"rule {violation.rule} says: {rule(violation.rule).text}")
        error.add_note(f"signals before it: {', '.join(map(str, self._recent)) or 'none'}")
        for title, stack in zip(("the earlier signal", "the later one"), stacks, strict=False):
            error.add_note(f"{title} was sent here:\n{stack}")
        return error

    def _both_stacks(self, violation: Violation, caller: FrameType | None) -> tuple[str, ...]:
        """Where the two signals came from, if they overlapped in time."""
        if violation.rule not in ("1.3", "2.7") or caller is None:
            return ()
        running = self._frames[violation.rule == "2.7"][-1]  # not left yet: that needs our lock
        return _stack_of(running), _stack_of(caller)


def _stack_of(frame: FrameType) -> str:
    return "".join(traceback.format_stack(frame))


class CheckedSubscription:
    """The Subscription a checked subscriber holds: judges each call, then passes it on."""

    __slots__ = ("_monitor", "_subscription")

    def __init__(self, monitor: RuleMonitor, subscription: Subscription) -> None:
        self._monitor = monitor
        self._subscription = subscription

    def request(self, n: int, /) -> None:
        """Ask for ``n`` more."""
        number = isinstance(n, int) and not isinstance(n, bool)
        signal = Signal(Kind.REQUEST, n) if number else Signal(Kind.REQUEST, 0, shown(n))
        self._monitor.call(signal, self._subscription.request, n)

    def cancel(self) -> None:
        """Ask for no more."""
        self._monitor.call(Signal(Kind.CANCEL), self._subscription.cancel)

    @property
    def drains(self) -> bool:
        """Whether its publisher drains, which only a subscription of ours says."""
        return bool(getattr(self._subscription, "drains", False))


class CheckedSubscriber:
    """A Subscriber in front of another: judges each signal, then passes it on as it came."""

    def __init__(self, monitor: RuleMonitor, subscriber: Subscriber[Any]) -> None:
        self._monitor = monitor
        self._subscriber: Any = subscriber
        self._subscribed = False

    def __repr__(self) -> str:
        return repr_of(self._subscriber)

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Pass on a checked subscription; of a second one only ``on_subscribe`` is checked."""
        wrong = "" if is_subscription(subscription) else shown(subscription)
        given: Any = subscription
        if not wrong and not self._subscribed:
            self._subscribed = True
            given = CheckedSubscription(self._monitor, subscription)
        signal = Signal(Kind.ON_SUBSCRIBE, wrong=wrong)
        self._monitor.call(signal, self._subscriber.on_subscribe, given)

    def on_next(self, element: Any, /) -> None:
        """Pass on one element."""
        signal = Signal(Kind.ON_NEXT, wrong="None" if element is None else "")
        self._monitor.call(signal, self._subscriber.on_next, element)

    def on_error(self, error: BaseException, /) -> None:
        """Pass on the failure."""
        wrong = "" if isinstance(error, BaseException) else shown(error)
        signal = Signal(Kind.ON_ERROR, wrong=wrong, note=class_name_of(error))
        self._monitor.call(signal, self._subscriber.on_error, error)

    def on_complete(self) -> None:
        """Pass on the end."""
        self._monitor.call(Signal(Kind.ON_COMPLETE), self._subscriber.on_complete)


class CheckedFrameSubscriber(CheckedSubscriber, FrameSubscriber):
    """In front of a Subscriber that takes whole frames."""

    def on_frame(self, frame: Any, /) -> None:
        """Pass on several elements at once."""
        self._monitor.call(Signal(Kind.ON_NEXT, len(frame)), self._subscriber.on_frame, frame)
