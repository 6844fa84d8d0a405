"""The Subscription that the kit gives to a Subscriber under test, and the signals it sends.

It records every call, and notes the wrong ones in the environment. Thread-safe.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from actors_rs.protocol.interfaces import Subscriber
from actors_rs.runtime._primitives import current_thread_id
from actors_rs.testing.tck.environment import Environment, Failure
from actors_rs.texts import repr_of, text_of

__all__ = ["Upstream"]

TERMINAL = ("on_complete", "on_error")
LINGERING = (
    0.05  # seconds at most in a call of the subscriber, when overlapping calls are looked for
)


class Upstream:
    """A publisher's end of one subscription, moved by the test."""

    def __init__(
        self, env: Environment, subscriber: Subscriber[Any], name: str = "the subscriber"
    ) -> None:
        self.env = env
        self.name = name
        self.requested = 0
        self.sent = 0
        self.cancelled = False
        self.calls: list[str] = []
        self.lingering = False
        self._subscriber = subscriber
        self._taken = 0
        self._inside: list[tuple[str, int]] = []
        self._ending: tuple[str, int] | None = None
        self._open = False
        env.clean_up_later(self)

    # Calls of the subscriber

    def request(self, n: int, /) -> None:
        """Count the request; note one below 1 (3.9)."""
        with self._call(f"request({n})"):
            if not isinstance(n, int) or n < 1:
                self.env.flop(
                    f"rule 3.9: {self.name} called request({repr_of(n)}), at least 1 is needed"
                )
                return
            with self.env.changed.lock:
                self.requested += n
                self.env.changed.notify_all()
            self._linger()

    def cancel(self) -> None:
        """Note the cancellation."""
        with self._call("cancel()"):
            with self.env.changed.lock:
                self.cancelled = True
                self.env.changed.notify_all()
            self._linger()

    # Signals, all of which have to return normally (2.13)

    def begin(self) -> None:
        """Signal ``on_subscribe``."""
        self._open = True
        self._signal("2.13", "on_subscribe", self._subscriber.on_subscribe, self)

    def send(self, element: Any, rule: str = "2.13") -> None:
        """Signal ``on_next``, whether or not it was requested."""
        with self.env.changed.lock:
            self.sent += 1
        self._signal(rule, "on_next", self._subscriber.on_next, element)

    def complete(self, rule: str = "2.13") -> None:
        """Signal ``on_complete``."""
        self._end(rule, "on_complete", self._subscriber.on_complete)

    def fail(self, error: BaseException, rule: str = "2.13") -> None:
        """Signal ``on_error``."""
        self._end(rule, "on_error", self._subscriber.on_error, error)

    def give_up(self) -> None:
        """Complete at the end of a test, unless the link has ended; ignores its outcome."""
        if self._open and not self.cancelled:
            try:
                self.complete()
            except Failure as failure:
                self.env.flop(text_of(failure))

    # Expectations of the test

    def expect_request(self, rule: str = "2.1") -> int:
        """Wait until more is requested than before, and return how much more."""
        self.env.wait_until(
            lambda: self.requested > self._taken,
            f"rule {rule}: {self.name} was expected to request elements, it has not",
        )
        with self.env.changed.lock:
            more = self.requested - self._taken
            self._taken = self.requested
        return more

    def has_more_requests(self) -> bool:
        """Whether more is requested than ``expect_request`` has told, or soon will be."""
        return not self.env.stays_false(lambda: self.requested > self._taken)

    def expect_requests(self, total: int, rule: str) -> None:
        """Wait until at least ``total`` elements were requested since the start."""
        self.env.wait_until(
            lambda: self.requested >= total,
            lambda: (
                f"rule {rule}: {self.name} was expected to request {total} elements, "
                f"it requested {self.requested}"
            ),
        )

    def expect_cancel(self, rule: str = "2.6") -> None:
        """Wait for the cancellation."""
        self.env.wait_until(
            lambda: self.cancelled,
            f"rule {rule}: {self.name} was expected to cancel, it has not",
        )

    def settle(self) -> None:
        """Wait until the subscriber makes no more calls by itself."""
        self.env.wait_for_quiet(
            lambda: len(self.calls), f"{self.name} was expected to stop calling its subscription"
        )

    def expect_no_calls(self, rule: str, when: str, since: int | None = None) -> None:
        """``Failure`` for any call within the quiet period, or after the first ``since`` ones."""
        before = len(self.calls) if since is None else since
        if not self.env.stays_false(lambda: len(self.calls) > before):
            called = ", ".join(self.calls[before:])
            raise Failure(f"rule {rule}: {self.name} was expected to call nothing {when}: {called}")

    # Inside

    @contextmanager
    def _call(self, call: str) -> Iterator[None]:
        """One call of the subscriber: not inside a terminal signal (2.3), not overlapping (2.7)."""
        me = current_thread_id()
        if (ending := self._terminal_on_this_stack()) is not None:
            self.env.flop(f"rule 2.3: {self.name} called {call} inside {ending}")
        with self.env.changed.lock:
            self.calls.append(call)
            for other, thread in self._inside:
                if thread != me:
                    self.env.flop(
                        f"rule 2.7: {self.name} called {call} while {other} was under way"
                    )
            self._inside.append((call, me))
        try:
            yield
        finally:
            with self.env.changed.lock:
                self._inside.remove((call, me))

    def _terminal_on_this_stack(self) -> str | None:
        """The terminal signal of this link that the call was made in.

        That is one that we send on this thread, or a method of that name of the very subscriber,
        which it may have called later. What others do in methods of that name is their own affair.
        """
        if self._ending is not None and self._ending[1] == current_thread_id():
            return self._ending[0]
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_name in TERMINAL and _owner(frame) is self._subscriber:
                return frame.f_code.co_name
            frame = frame.f_back  # type: ignore[assignment]  # None ends the loop
        return None

    def _linger(self) -> None:
        """Stay in a call whose effect the test can see: it goes on, and other calls may overlap."""
        if self.lingering:
            self.env.changed.wait_for(lambda: len(self._inside) > 1, LINGERING)

    def _signal(self, rule: str, name: str, signal: Callable[..., None], *args: Any) -> None:
        self.env.call(f"rule {rule}: {name} must return normally", signal, *args)

    def _end(self, rule: str, name: str, signal: Callable[..., None], *args: Any) -> None:
        self._open = False
        self._ending = (name, current_thread_id())
        try:
            self._signal(rule, name, signal, *args)
        finally:
            self._ending = None


def _owner(frame: FrameType) -> object:
    """The object whose method ``frame`` runs, as its first argument tells; else ``None``."""
    code = frame.f_code
    return frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
