"""What a run looks like at one moment: plain, frozen data."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from actors_rs.graph.drawing import picture_of_run
from actors_rs.texts import repr_of_fields, text_of

if TYPE_CHECKING:
    from actors_rs.graph.member import Member
    from actors_rs.stages.ports import Inlet, Outlet
    from actors_rs.stages.stage import StageLogic

__all__ = ["LinkSnapshot", "RunSnapshot", "StageSnapshot", "elements_of", "snapshot_of"]


@dataclass(frozen=True, slots=True)
class StageSnapshot:
    """One stage at one moment.

    ``demand`` is what downstream asked for and did not get yet (the least of all outlets),
    ``requested`` what the stage itself waits for, ``buffered`` the elements it holds, ``mailbox``
    its unread messages. ``busy``, ``idle`` and ``back_pressured`` are parts of 1,
    of the time since the stage began; after its end it is idle. Calls that are under
    way, as in ``map_async``, are busy with their part of its ``parallelism``. ``state`` is
    ``"running"``, ``"ended"`` or ``"failed"``; ``details`` depend on the kind of stage.
    ``elements_in`` came from upstream and ``elements_out`` went downstream. ``inner_elements`` came
    from inner streams that the stage runs, as in ``flat_map``, or went to groups of ``group_by``.
    A stage that has no upstream, such as ``merge_hub``, counts those of its streams as ``in``.
    ``started_by`` names the stages that started it as the source of an inner stream.
    ``details["unwanted"]`` is how many elements came to inner streams that wanted no more: of a
    stage that runs them, or of all stages of one kind that have ended (``take_while (ended)``).
    ``resumed`` and ``restarted`` are elements that its failure policy passed over, and
    ``dead_letters`` all that it left, those elements included.
    """

    name: str
    kind: str
    state: str
    elements_in: int
    elements_out: int
    demand: int
    requested: int
    buffered: int
    window: int
    mailbox: int
    busy: float
    idle: float
    back_pressured: float
    details: Mapping[str, Any] = field(default_factory=dict)
    resumed: int = 0
    restarted: int = 0
    dead_letters: int = 0
    inner_elements: int = 0
    started_by: tuple[str, ...] = ()

    __repr__ = repr_of_fields


@dataclass(frozen=True, slots=True)
class LinkSnapshot:
    """One link between two stages at one moment, by their names and those of its ends.

    ``elements`` were taken from it, ``buffered`` have arrived and ``requested`` are asked for.
    ``dropped`` arrived when downstream wanted no more. Once both stages have ended, what upstream
    sent was taken or dropped. ``window`` is the most that is asked for at a time, and ``closed``
    tells that nothing will be taken any more.
    """

    upstream: str
    outlet: str
    downstream: str
    inlet: str
    elements: int
    requested: int
    buffered: int
    dropped: int = 0
    window: int = 0
    closed: bool = False


@dataclass(frozen=True, slots=True)
class RunSnapshot:
    """A run at one moment; ``seconds`` since its start, up to its end once it has ended."""

    name: str
    state: str
    seconds: float
    stages: tuple[StageSnapshot, ...]
    links: tuple[LinkSnapshot, ...] = ()
    draining: bool = False
    """Whether its sources were told to take no more, see ``Run.drain``."""

    def draw(self, format: str = "mermaid") -> str:
        """A picture with the figures, see ``Graph.draw``."""
        return picture_of_run(self).draw(format)

    def as_dict(self) -> dict[str, Any]:
        """Nested dicts and lists, fit for JSON: other values in details are put in words."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain

    def bottleneck(self) -> str | None:
        """Name of the first stage that is busy while a stage before it is held back.

        Where no stage is held back any more, of the one that is busy most of the time.
        """
        held_back = False
        for stage in self.stages:
            if held_back and stage.busy > max(stage.idle, stage.back_pressured):
                return stage.name
            held_back = held_back or stage.back_pressured > 0.5
        busiest = max(self.stages, key=lambda stage: stage.busy, default=None)
        return busiest.name if busiest is not None and busiest.busy > 0.5 else None


def snapshot_of(
    name: str,
    state: str,
    began: float,
    now: float,
    stages: Sequence[Member],
    draining: bool = False,
) -> RunSnapshot:
    """Read ``stages`` while they run: every figure is right by itself, not all at one instant."""
    figures = tuple(_stage(stage, now) for stage in stages)
    names = {stage.name for stage in stages}
    links = tuple(link for stage in stages for link in _links_of(stage, names))
    return RunSnapshot(name, state, now - began, figures, links, draining)


def _links_of(stage: Member, names: Container[str]) -> Iterator[LinkSnapshot]:
    """The links to its inlets, but for those that a foreign publisher feeds."""
    kinds = () if stage.inner_links is None else stage.inner_links.fed_by
    for number, inlet in enumerate(tuple(stage.logic.inlets)):
        feeder, outlet = inlet.feeder
        if feeder not in names and number < len(kinds):
            feeder = kinds[number]  # it has ended, and is shown with others of its kind
        if feeder:
            figures = inlet.count, inlet.outstanding, inlet.buffered, inlet.dropped
            ends = feeder, outlet, stage.name, inlet.name
            yield LinkSnapshot(*ends, *figures, inlet.window, inlet.exhausted)


def elements_of(logic: StageLogic) -> tuple[int, int, int]:
    """How many elements came from upstream, went downstream, and were in inner streams."""
    inlets = tuple(logic.inlets) if logic.last_inlet is None else (logic.last_inlet,)
    outlets = tuple(logic.outlets) if logic.last_outlet is None else (logic.last_outlet,)
    (came, came_inside), (went, went_inside) = _counts(inlets), _counts(outlets)
    return came, went, came_inside + went_inside


def _counts(ports: Sequence[Inlet] | Sequence[Outlet]) -> tuple[int, int]:
    """Of those ports that are not for inner streams, and of those that are if there are others."""
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


def _stage(stage: Member, now: float) -> StageSnapshot:
    logic = stage.logic
    inlets, outlets = logic.inlets, logic.outlets
    came, went, inner = elements_of(logic)
    details = logic.details()
    busy, idle, back_pressured = _with_calls(stage.clock.shares(now), details)
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
        started_by=stage.inner_links.started_by if stage.inner_links is not None else (),
    )


def _with_calls(
    shares: tuple[float, float, float], details: Mapping[str, Any]
) -> tuple[float, float, float]:
    """``shares`` of a stage that is also busy while others make its calls: with those under way."""
    busy, idle, held_back = shares
    if not (under_way := details.get("under_way")):
        return shares
    at_work = max(busy, min(1.0, under_way / details["parallelism"]))
    left = (1.0 - at_work) / (idle + held_back) if idle + held_back else 0.0
    return at_work, idle * left, held_back * left


def _plain(value: Any) -> Any:
    """``value`` of what JSON knows."""
    if isinstance(value, Mapping):
        return {text_of(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(part) for part in value]
    return value if value is None or isinstance(value, str | int | float) else text_of(value)
