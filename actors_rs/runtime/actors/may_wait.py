"""Where a thread must not wait for an actor: the error names the call and the code to write."""

from __future__ import annotations

from typing import Any, NamedTuple

from pykka.messages import ProxyCall, ProxyGetAttr, ProxySetAttr, _ActorStop

from actors_rs.errors import BlockingError
from actors_rs.runtime._primitives import check_may_block, may_block, on_event_loop

__all__ = ["ANSWER", "ASK", "STOP_CHILD", "Wait", "check_may_wait"]


class Wait(NamedTuple):
    """A call that waits, and what to write instead."""

    call: str
    awaited: str
    """In a coroutine."""
    sent: str = ""
    """In a handler that is no coroutine; empty if only a coroutine can do it."""
    note: str = ""


ASK = Wait("ref.ask()", "await ref.ask_async(message)", "ref.tell(message)")
ANSWER = Wait("get() of a future", "await future")
STOP_CHILD = Wait(
    "stop_child()",
    "await supervisor.stop_child(name, block=False)",
    "supervisor.stop_child(name, block=False)",
)


def _wait_for(message: Any, otherwise: Wait) -> Wait:
    """The call that sent ``message`` and waits for the answer; ``otherwise`` for a user's own."""
    if type(message) is _ActorStop:
        return Wait("ref.stop()", "await ref.stop(block=False)", "ref.stop(block=False)")
    kind = type(message)  # a user's message may claim another __class__
    if not issubclass(kind, ProxyCall | ProxyGetAttr | ProxySetAttr):
        return otherwise
    name = f"proxy.{'.'.join(message.attr_path)}"
    if issubclass(kind, ProxyCall):
        return Wait(f"{name}(...).get()", f"await {name}(...)", f"{name}.defer(...)")
    if issubclass(kind, ProxyGetAttr):
        return Wait(f"{name}.get()", f"await {name}")
    setter = f"set_{message.attr_path[-1]}"
    return Wait(
        f"{name} = value",
        f"await proxy.{setter}(value)",
        f"proxy.{setter}.defer(value)",
        f"; add the method {setter} to the actor",
    )


def check_may_wait(timeout: float | None, wait: Wait, message: Any = None) -> None:
    """Raise ``BlockingError`` on a thread that must not ``wait``, at most ``timeout`` seconds.

    ``message``, which is or will be sent, tells the call: a stop, or a proxy's.
    Called before a question is sent, and again before a wait. A ``timeout`` of 0 only looks whether
    the answer is there, which every thread may do.
    """
    if timeout is not None and timeout <= 0:
        return
    if on_event_loop():
        wait = _wait_for(message, wait)
        raise BlockingError(
            f"{wait.call} in a coroutine would block all coroutines of the system: "
            f"write '{wait.awaited}'{wait.note}"
        )
    if not may_block():
        wait = _wait_for(message, wait)
        sent = f"write '{wait.sent}', which does not wait, or " if wait.sent else ""
        check_may_block(
            wait.call,
            f"in an actor {sent}write '{wait.awaited}' in an 'async def' handler, or set "
            f"dispatcher = 'pinned'; in a stage call the function with map_async{wait.note}",
        )
