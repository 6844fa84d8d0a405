"""A coroutine that an actor's handler or hook has returned, and that the actor waits for.

It runs on the system's event loop, in the actor's context. Meanwhile the actor has no turn, so the
mailbox stays serial and no thread is held. When the coroutine has ended, the actor's next turn
begins with what comes of it.
"""

from __future__ import annotations

from asyncio import CancelledError
from concurrent.futures import Future
from types import CoroutineType
from typing import Any

from actors_rs.runtime.dispatch.user_code import place_in

__all__ = ["Pending", "PendingEnd", "PendingMessage", "PendingStart"]


class Pending:
    """One coroutine of one actor, from the call that made it to the turn after its end."""

    __slots__ = ("_coroutine", "_future", "actor", "ended", "error", "since", "stopped", "value")
    message: Any = None
    """The message that is handled; ``None`` in a hook without one."""

    def __init__(self, actor: Any, coroutine: CoroutineType[Any, Any, Any]) -> None:
        self.actor = actor
        self._coroutine = coroutine
        self._future: Future[None] | None = None
        self.since = actor._system_.timing_clock()
        self.ended = False
        self.value: Any = None
        self.error: BaseException | None = None
        self.stopped = False
        """Whether it was cancelled since the actor has to stop."""

    @property
    def was_stopped(self) -> bool:
        """Whether it ended early because the actor has to stop, and for no other reason."""
        return self.stopped and isinstance(self.error, CancelledError)

    @property
    def place(self) -> str:
        """The function and the line that it has come to."""
        frame = self._coroutine.cr_frame
        return self._coroutine.__qualname__ if frame is None else place_in(frame)

    def start(self) -> None:
        """Hand it to the loop; at the end of the actor's turn, outside of the actor's context."""
        try:
            loop = self.actor._system_.event_loop
            self._future = loop.run(self._run(), self.actor._context_, self._over)
        except BaseException as error:  # the loop has ended, or there is no thread for it
            self.error = error
            self._over()
            if not isinstance(error, Exception):
                raise
        else:
            if self.stopped:
                self._future.cancel()
            elif self.actor._ends_early_:
                self.stop_early()

    def stop_early(self, *, last_hook_too: bool = False) -> None:
        """Cancel it, since the actor has to stop now. Any thread."""
        self.stopped = True
        if self._future is not None:
            self._future.cancel()

    def finish(self) -> None:
        """Do what comes of it; in the actor's turn."""
        raise NotImplementedError

    async def _run(self) -> None:
        if self.ended:  # Ctrl-C came while it was handed over
            return
        try:
            self.value = await self._coroutine
        except BaseException as error:
            self.error = error
        self.ended = True

    def _over(self) -> None:
        """On the loop: it has ended, or was never begun."""
        if not self.ended:
            self._coroutine.close()
            self.error = self.error or CancelledError()
            self.ended = True
        self.actor._schedule_turn_()


class PendingStart(Pending):
    """``on_start``. One that is cancelled has failed."""

    __slots__ = ()

    def finish(self) -> None:
        if self.error is None:
            self.actor._started_()
        else:
            self.actor._fail_(self.error)


class PendingMessage(Pending):
    """A handler: of ``on_receive``, or a method that a proxy calls."""

    __slots__ = ("_asked", "_retried", "message")

    def __init__(
        self,
        actor: Any,
        coroutine: CoroutineType[Any, Any, Any],
        message: Any,
        retried: Any,
        *,
        asked: bool = False,
    ) -> None:
        """``retried`` is put back for ``message``; ``asked``: its sender waits for an answer."""
        super().__init__(actor, coroutine)
        self.message = message
        self._retried = retried
        self._asked = asked

    def finish(self) -> None:
        actor, message, error = self.actor, self.message, self.error
        if self.was_stopped:
            actor._return_unread_(message, "was stopped while")  # it stops with the next message
        elif not self._asked:
            if error is not None:
                actor._fail_(error, message, self._retried)
        elif error is not None:
            actor._answer_failure_(message, error)
        else:
            actor._reply_(message, self.value)


class PendingEnd(Pending):
    """``on_stop`` or ``on_failure``, of an actor that ends with ``failure`` or without one."""

    __slots__ = ("_failure", "message")

    def __init__(
        self,
        actor: Any,
        coroutine: CoroutineType[Any, Any, Any],
        failure: BaseException | None,
    ) -> None:
        super().__init__(actor, coroutine)
        self._failure = failure
        self.message = None
        """The question of the one who has asked it to stop."""

    def stop_early(self, *, last_hook_too: bool = False) -> None:
        """It may take its time, up to the end of the shutdown's."""
        if last_hook_too:
            super().stop_early()

    def finish(self) -> None:
        try:
            self.actor._leave_after_(self._failure, self.error)
        finally:
            if self.message is not None:
                self.actor._reply_(self.message, True)
