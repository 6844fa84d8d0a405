"""``KillSwitch``: ends streams from outside, one or many at a time."""

from __future__ import annotations

from typing import Literal

from actors_rs.runtime._primitives import RLock
from actors_rs.runtime.fork import renew_in_child
from actors_rs.runtime.rate.listeners import Listener, Listeners
from actors_rs.runtime.settings import check_error

__all__ = ["KillSwitch"]


class KillSwitch:
    """Put into streams with ``flow.kill_switch(switch)``; using it ends all of them.

    It can be used before, while and after they run, once: later uses do nothing, and a stream that
    starts after a use ends at once. Thread-safe; it keeps no stream alive.

    >>> switch = KillSwitch()
    >>> with ActorSystem() as system:
    ...     run = system.start(Source.repeat("x").kill_switch(switch).to(Sink.count()))
    ...     switch.shutdown()
    ...     run.wait(timeout=5), run.state, switch.state
    (True, 'completed', 'shut_down')
    >>> switch = KillSwitch()
    >>> switch.abort(OSError("gone"))
    >>> Source.of("a").kill_switch(switch).recover(str).run(Sink.list())
    ['gone']
    """

    def __init__(self) -> None:
        self._used = False
        self._error: BaseException | None = None
        self._renew()
        renew_in_child(self)

    def __repr__(self) -> str:
        return f"<KillSwitch {self.state}>"

    @property
    def state(self) -> Literal["open", "shut_down", "aborted"]:
        """How the switch was used."""
        if not self._used:
            return "open"
        return "shut_down" if self._error is None else "aborted"

    def shutdown(self) -> None:
        """Complete the streams: downstream completes, upstream is cancelled. Does not wait."""
        self._use(None)

    def abort(self, error: BaseException) -> None:
        """Fail the streams with ``error``, which is not wrapped. Does not wait.

        Raises ``ArgumentTypeError`` for what is no exception.
        """
        check_error("KillSwitch.abort", error)
        self._use(error)

    def _use(self, error: BaseException | None) -> None:
        with self._lock:
            if self._used:
                return
            self._error = error
            self._used = True  # last: readers that see it read the error next
        self._listeners.wake()

    def _renew(self) -> None:
        """In a forked child: it is as used as it was, and the parent's streams do not listen."""
        self._lock = RLock()  # a signal handler or ``__del__`` may come in here that uses it
        self._listeners = Listeners()

    # What follows is for stages.

    @property
    def used(self) -> bool:
        """Whether the streams are to end."""
        return self._used

    @property
    def error(self) -> BaseException | None:
        """The error that the streams fail with; ``None`` to complete."""
        return self._error

    def watch(self, stage: Listener, /) -> None:
        """Wake ``stage`` when it is used; it is held weakly."""
        self._listeners.add(stage)

    def unwatch(self, stage: Listener, /) -> None:
        """No more of that."""
        self._listeners.remove(stage)
