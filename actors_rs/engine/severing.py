"""Cuts off the ports of a stage that was given up, on another thread than its own.

Its peers receive the end as if the stage had signalled it. Signals that the stage still sends, when
its thread comes back, lead nowhere: elements are dead letters.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from actors_rs.engine.links import Posted
from actors_rs.stages.chunks.dropped import Dropped
from actors_rs.stages.chunks.peers import Downstream, Frame, Upstream
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import StageLogic

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage

__all__ = ["close", "sever", "unlink"]


class _HasLogic(Protocol):
    @property
    def logic(self) -> StageLogic: ...


def sever(stage: RunningStage, error: BaseException) -> None:
    """Cut ``stage`` off: downstream fails with ``error``, upstream is cancelled because of it."""
    logic = stage.logic
    for outlet in logic.outlets:
        _end_outlet(outlet, _Nowhere(stage, outlet), error)
    for inlet in logic.inlets:
        _end_inlet(stage, inlet, error)
    logic.halt()


def close(stage: _HasLogic, error: BaseException) -> None:
    """Its thread has come back: let the ports show the end; on that thread."""
    for outlet in stage.logic.outlets:
        outlet.cancel(error)
    for inlet in stage.logic.inlets:
        inlet.discard()


def unlink(stage: _HasLogic) -> None:
    """The stage has ended: release its peers, so that it is freed without the cyclic collector."""
    for outlet in stage.logic.outlets:
        outlet._downstream = None
    for inlet in stage.logic.inlets:
        inlet.unlink()


def _end_outlet(outlet: Outlet, nowhere: Downstream, error: BaseException) -> None:
    line: Any = outlet._downstream
    outlet._downstream = nowhere
    peer: Any = getattr(line, "_down", line)  # without a monitor
    if hasattr(peer, "given_up"):
        peer.given_up(error)
    elif outlet.cancelled or not getattr(peer, "any_thread", False):
        return  # it wants no more, or is a part of the same stage
    elif not outlet.closed:
        line.fail(error)
    elif hasattr(peer, "_inlet"):
        _end_unless_closed(peer, error)


def _end_unless_closed(peer: Any, error: BaseException) -> None:
    """The outlet has ended, but its thread may have been about to tell ``peer`` just now."""
    inlet: Inlet = peer._inlet

    def end() -> None:
        if not inlet.closed:
            inlet.complete(error)

    peer._mailbox.offer(Posted(peer._member, end))


def _end_inlet(stage: RunningStage, inlet: Inlet, error: BaseException) -> None:
    line: Any = inlet._upstream
    inlet._upstream = _NOBODY
    was_closed = inlet.closed
    inlet.cancelled = inlet.closed = True  # so that nothing ends as if all had come
    if inlet._dropped is None:
        inlet._dropped, inlet.buffered = Dropped(inlet.buffered), 0
    peer = getattr(line, "_up", line)  # without a monitor
    if getattr(peer, "any_thread", False):
        # Twice does no harm: its thread may have been about to cancel it just now.
        (peer if was_closed else line).cancel(error)
    elif hasattr(peer, "_subscription") and not was_closed:
        stage.run_blocking(partial(line.cancel, error))  # a foreign publisher may take its time


class _Nowhere:
    """Downstream of a stage that was given up."""

    def __init__(self, stage: RunningStage, outlet: Outlet) -> None:
        self._stage = stage
        self._outlet = outlet

    def push(self, frame: Frame, /) -> None:
        self._outlet.count -= len(frame)
        self._outlet.unwanted += len(frame)
        for element in frame:
            self._stage.report_late(element, None)

    def complete(self) -> None:
        """As if the outlet had been cancelled: it is not true that this was all."""
        self._outlet.cancelled = True

    def fail(self, error: BaseException, /) -> None:
        """It has failed for everybody before."""


class _Nobody:
    """Upstream of it."""

    def request(self, n: int, /) -> None:
        """Nothing will come."""

    def cancel(self, cause: BaseException | None = None, /) -> None:
        """It was cancelled before."""


_NOBODY: Upstream = _Nobody()
