"""Takes the snapshot of a run: asks its stages, which go on meanwhile, on any thread."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from actors_rs.engine.run.snapshot import LinkSnapshot, RunSnapshot, StageSnapshot

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage
    from actors_rs.engine.timing import StageClock
    from actors_rs.runtime.memory_budget import MemoryBudget
    from actors_rs.stages.load import Load
    from actors_rs.stages.ports import Inlet, Outlet
    from actors_rs.stages.stage import StageLogic

__all__ = ["details_of", "elements_of", "snapshot_of"]


def snapshot_of(
    name: str,
    state: str,
    began: float,
    now: float,
    stages: Sequence[RunningStage],
    draining: bool = False,
    memory: MemoryBudget | None = None,
) -> RunSnapshot:
    """Read ``stages`` while they run: every figure is right by itself, not all at one instant."""
    figures = tuple(_stage(stage, now) for stage in stages)
    names = {stage.name for stage in stages}
    links = tuple(link for stage in stages for link in _links_of(stage, names))
    limit = None if memory is None else memory.limit
    return RunSnapshot(name, state, now - began, figures, links, draining, limit)


def _links_of(stage: RunningStage, names: Container[str]) -> Iterator[LinkSnapshot]:
    """The links to its inlets, except inlets that a foreign publisher feeds."""
    kinds = () if stage.inner_links is None else stage.inner_links.fed_by
    for number, inlet in enumerate(tuple(stage.logic.inlets)):
        feeder, outlet = inlet.feeder, inlet.feeder_outlet
        if feeder not in names and number < len(kinds):
            feeder = kinds[number]  # it has ended, and is shown with others of its kind
        if feeder:
            figures = inlet.count, inlet.outstanding, inlet.buffered, inlet.dropped
            ends = feeder, outlet, stage.name, inlet.name
            yield LinkSnapshot(*ends, *figures, inlet.window, inlet.exhausted, _bytes_in(inlet))


def elements_of(logic: StageLogic) -> tuple[int, int, int]:
    """How many elements came from upstream, went downstream, and were in inner streams."""
    inlets = tuple(logic.inlets) if logic.last_inlet is None else (logic.last_inlet,)
    outlets = tuple(logic.outlets) if logic.last_outlet is None else (logic.last_outlet,)
    (came, came_inside), (went, went_inside) = _counts(inlets), _counts(outlets)
    return came, went, came_inside + went_inside


def details_of(stage: RunningStage) -> dict[str, Any]:
    """The figures of its kind, with the elements that it could not give on, if there are any."""
    logic = stage.logic
    details, undelivered = logic.details(), stage.in_hand
    for outlet in tuple(logic.outlets):
        undelivered += outlet.unwanted
    if stage.cut:
        begun = any(outlet.count for outlet in tuple(logic.outlets))
        details = {**details, "cut": 1, **({} if begun else {"not_begun": 1})}
    return {**details, "undelivered": undelivered} if undelivered else details


def _counts(ports: Sequence[Inlet] | Sequence[Outlet]) -> tuple[int, int]:
    """The counts of plain ports and of inner-stream ports; without plain ports, (inner, 0)."""
    outer = inner = 0
    has_outer = False
    for port in ports:
        if port.inner:
            inner += port.count
        else:
            has_outer = True
            outer += port.count
    return (outer, inner) if has_outer else (inner, 0)


def _state(over: bool, error: BaseException | None) -> str:
    return "running" if not over else "ended" if error is None else "failed"


def _stage(stage: RunningStage, now: float) -> StageSnapshot:
    logic = stage.logic
    inlets, outlets = logic.inlets, logic.outlets
    came, went, inner = elements_of(logic)
    details = details_of(stage)
    busy, idle, back_pressured = _with_calls(stage.clock, logic.load, now)
    if logic.load is not None:
        details["call_seconds"] = logic.load.seconds(now)
    latency_p50, latency_p99 = _latencies_of(stage)
    return StageSnapshot(
        name=stage.name,
        kind=stage.kind,
        state=_state(stage.ended, stage.error),
        elements_in=came,
        elements_out=went,
        demand=min((outlet.demand for outlet in outlets if not outlet.closed), default=0),
        requested=sum(inlet.outstanding for inlet in inlets),
        buffered=sum(inlet.buffered for inlet in inlets),
        window=max((inlet.window for inlet in inlets), default=0),
        mailbox=len(stage.mailbox),
        busy=busy,
        idle=idle,
        back_pressured=back_pressured,
        details=details,
        resumed=stage.resumed,
        restarted=stage.restarted,
        dead_letters=stage.dead_letters,
        inner_elements=inner,
        seconds=stage.clock.seconds(now),
        total=logic.total,
        latency_p50=latency_p50,
        latency_p99=latency_p99,
        buffered_bytes=sum(_bytes_in(inlet) for inlet in inlets) + logic.held_bytes,
        started_by=stage.inner_links.started_by if stage.inner_links is not None else (),
    )


def _bytes_in(inlet: Inlet) -> int:
    """Bytes that the link holds, by the last element that was weighed."""
    return 0 if inlet.auto is None else int(inlet.buffered * inlet.auto.weight)


def _latencies_of(stage: RunningStage) -> list[float | None]:
    load = stage.logic.load
    latencies = stage.clock.latencies if load is None else load.latencies or stage.clock.latencies
    return [None, None] if latencies is None else latencies.quantiles(0.5, 0.99)


def _with_calls(clock: StageClock, load: Load | None, now: float) -> tuple[float, float, float]:
    """The shares of a stage that is also busy while others make its calls."""
    busy, idle, held_back = shares = clock.shares(now)
    if load is None or not (total := clock.seconds(now)):
        return shares
    at_work = max(busy, min(1.0, load.seconds(now) / (load.most * total)))
    left = (1.0 - at_work) / (idle + held_back) if idle + held_back else 0.0
    return at_work, idle * left, held_back * left
