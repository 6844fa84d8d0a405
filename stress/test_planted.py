"""The suite itself is tested: bugs planted in the runtime are found, each by what is to find it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

from actors_rs.engine.member import Member
from actors_rs.runtime.actors.mailbox import EMPTY, Mailbox
from actors_rs.stages.junctions.merge import Merge
from actors_rs.stages.operators.map import Map
from actors_rs.stages.ports import Inlet, Outlet
from stress import running
from stress.graphs import ROWS
from stress.running import Case, run_case
from stress.settings import Settings

TRIES = 40
FLOOD = 500


def check_then_act(patch: pytest.MonkeyPatch) -> None:
    """Whether a turn is due is asked and noted in two steps, without the lock."""

    def offer(mailbox: Mailbox, message: Any) -> bool:
        if (lane := mailbox.data) is None:
            lane = mailbox.data = deque()
        lane.append(message)
        if not mailbox._scheduled:
            mailbox._scheduled = True
            mailbox.owner._schedule_turn_()  # type: ignore[union-attr]
        return True

    def end_turn(mailbox: Mailbox, again: bool = False) -> bool:
        if again or mailbox.data or mailbox.control:
            return True
        with mailbox._lock:
            mailbox._scheduled = False
        return False

    patch.setattr(Mailbox, "offer", offer)
    patch.setattr(Mailbox, "end_turn", end_turn)


def ends_overtake(patch: pytest.MonkeyPatch) -> None:
    """The newest message of the data lane is taken first."""

    def take(mailbox: Mailbox) -> Any:
        if control := mailbox.control:
            message = control[0]
            del control[0]
            return message
        return mailbox.data.pop() if mailbox.data else EMPTY

    patch.setattr(Mailbox, "take", take)


def doubles(patch: pytest.MonkeyPatch) -> None:
    """An operator gives an element twice now and then."""
    collect = Map.collect

    def doubling(stage: Any, elements: Any, out: list[Any], /) -> None:
        collect(stage, elements, out)
        if len(out) > 1:
            out[-1] = out[-2]

    patch.setattr(Map, "collect", doubling)


def beyond_demand(patch: pytest.MonkeyPatch) -> None:
    """Demand is counted twice."""
    request = Outlet.request

    def twice(outlet: Outlet, n: int) -> None:
        request(outlet, 2 * n)

    patch.setattr(Outlet, "request", twice)


def loses(patch: pytest.MonkeyPatch) -> None:
    """A frame is lost where inlets meet."""
    advance = Merge.advance

    def losing(stage: Any, budget: Any) -> None:
        if stage.inlets[0].buffered > 1:
            stage.inlets[0].take(1)
        advance(stage, budget)

    patch.setattr(Merge, "advance", losing)


def floods(patch: pytest.MonkeyPatch) -> None:
    """A stage puts far more into its mailbox than its window accounts for, once."""
    start = Member.begin

    def flooding(stage: Member) -> None:
        start(stage)
        for _ in range(FLOOD if stage.kind == "map" else 0):
            stage.post(lambda: None)

    patch.setattr(Member, "begin", flooding)


KEPT: list[Any] = []


def leaks(patch: pytest.MonkeyPatch) -> None:
    """Somebody keeps an inlet, and with it all that it leads to."""
    complete = Inlet.complete

    def keeping(inlet: Inlet, error: BaseException | None = None) -> None:
        KEPT.append(inlet._upstream)
        complete(inlet, error)

    patch.setattr(Inlet, "complete", keeping)


PLANTED: dict[Callable[[pytest.MonkeyPatch], None], tuple[str, str]] = {
    check_then_act: ("chain-30", "stands still|stood still"),
    ends_overtake: ("chain-3", "behind|missing|rule|stands still|stood still"),
    doubles: ("chain-3", "behind|more than|missing"),
    beyond_demand: ("chain-3", r"rule 1\.1|ProtocolViolation"),
    loses: ("diamond", "missing"),
    leaks: ("chain-3", "is referred to"),
    floods: ("chain-3", "at most"),
}


def search(name: str, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small loads, with many yields, until one fails."""
    (row,) = (row for row in ROWS if row.name == name)
    monkeypatch.setattr(running, "SECONDS", 10.0)
    monkeypatch.setattr(running, "MESSAGES", 100)
    for seed in range(TRIES):
        case = Case(row, 1 + seed % 8, 1 + seed % 3, (1, 2, 16)[seed % 3])
        run_case(case, Settings(seed, yield_p=0.2, dilation=settings.dilation))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_bug_is_found(
    plant: Callable[[pytest.MonkeyPatch], None],
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name, said = PLANTED[plant]
    plant(monkeypatch)
    with pytest.raises(Exception, match=said):
        search(name, settings, monkeypatch)
    KEPT.clear()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["chain-3", "chain-30", "diamond"])
def test_where_nothing_is_planted_nothing_is_found(
    name: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    search(name, settings, monkeypatch)
