"""Conservation: no element of a run vanishes between two stages or inside of one.

It covers every stage of a world, however it ended: completed, failed, cancelled or drained. The
elements that an outlet gave equal the elements that the next inlet took, holds, or dropped because
its stage wanted no more. And the elements that a stage took, with those it added of its own, are
the elements that it

- emitted, also to a receiver that had left by then,
- holds (``StageLogic.held``),
- dropped by a policy: an overflow, ``resume`` and ``restart``, elements held at a restart,
- and failed for, which is one element at most.

``RULES`` says for which kinds of stages that is an equation, and for which only part of it is: a
filter may emit less than it took, and only the user's function decides how much. A stage that
failed for no element in particular may have held a frame, and accounts only for the elements that
it reports as done. A stage that has completed all outlets also accounts for elements it never
took, unless its kind is meant to leave elements (``LEAVING``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from actors_rs.delivery.ack import Tracked
from actors_rs.engine.island import Island
from actors_rs.engine.member import Member
from actors_rs.errors import StageError
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import StageLogic
from actors_rs.testing.world.log import Log

__all__ = ["RULES", "Account", "lost"]


class Account(NamedTuple):
    """What became of the elements that one stage took."""

    taken: int
    gave: int
    held: int = 0
    dropped: int = 0
    failed: int = 0
    added: int = 0

    @property
    def missing(self) -> int:
        """The number of lost elements; below zero, the number that came from nowhere."""
        return self.taken + self.added - self.gave - self.held - self.dropped - self.failed

    def __str__(self) -> str:
        added = f" and added {self.added}" if self.added else ""
        return (
            f"took {self.taken} elements{added}, gave {self.gave}, holds {self.held}, "
            f"dropped {self.dropped} by policy and failed for {self.failed}: "
            f"{abs(self.missing)} {'vanished' if self.missing > 0 else 'came from nowhere'}"
        )


Rule: TypeAlias = Callable[[Member, Log], Iterable[Account]]
"""Accounts of a stage that must be even, as ``EXACT`` or ``AT_MOST`` judge them."""


def lost(actors: Iterable[Any], log: Log) -> str:
    """The fault in the balance of the stages among ``actors``, in words; empty if it is right."""
    for actor in actors:
        for stage in actor.members() if isinstance(actor, Island) else ():
            if said := _inside(stage, log) or _before(stage):
                return said
    return ""


def _inside(stage: Member, log: Log) -> str:
    logic = stage.logic
    rule, exact = _known.get(type(logic)) or _rule_of(logic)
    if rule is None or (rule is _whole and _is_even(stage)):
        return ""
    exact = exact and (not isinstance(stage.error, StageError) or _failed(stage) == 1)
    for account in rule(stage, log):
        missing = account.missing
        if missing < 0 or (missing and exact):
            return f"stage '{stage.name}' ({stage.kind}) {account}"
    return ""


def _is_even(stage: Member) -> bool:
    """What most stages are found to be, told without an account: all they took they gave."""
    logic = stage.logic
    left = 0
    for inlet in logic.inlets:
        left += inlet.count
    for outlet in logic.outlets:
        left -= outlet.count + outlet.unwanted
    return not (left or stage.error is not None or _passed_over(stage) or _held(logic))


def _before(stage: Member) -> str:
    """The links that end at ``stage``."""
    for inlet in stage.logic.inlets:
        unused = inlet.buffered + inlet.dropped
        if unused and _completed_with_all(stage):
            return (
                f"stage '{stage.name}' ({stage.kind}) took {inlet.count} elements and completed "
                f"although {unused} more had come to it: {unused} vanished"
            )
        line: Any = inlet._upstream
        outlet = getattr(getattr(line, "_up", line), "_outlet", None)
        if outlet is None:
            continue
        if outlet.count != inlet.count + unused:
            return (
                f"{outlet.count} elements went to stage '{stage.name}', which took {inlet.count}, "
                f"holds {inlet.buffered} and dropped {inlet.dropped} that it wanted no more"
            )
    return ""


def _completed_with_all(stage: Member) -> bool:
    """Whether ``stage`` told each receiver that this was all, and its kind is meant to give all."""
    logic = stage.logic
    if stage.error is not None or not logic.outlets or not _rule_of(logic)[1]:
        return False
    for outlet in logic.outlets:
        if not outlet.closed or outlet.cancelled or outlet.error is not None:
            return False
    return not any(base.__name__ in LEAVING for base in type(logic).__mro__)


# The terms


def _taken(inlets: Iterable[Inlet]) -> int:
    return sum([inlet.count for inlet in inlets])


def _gave(outlets: Iterable[Outlet]) -> int:
    return sum([outlet.count + outlet.unwanted for outlet in outlets])


def _held(logic: StageLogic) -> int:
    held = logic.held()
    return len(held if type(held) is tuple else tuple(held))


def _passed_over(stage: Member) -> int:
    """Elements that raised and were passed over by its policy, and elements that restarts lost."""
    return stage.resumed + stage.restarted + getattr(stage.logic, "given_up", 0)


def _failed(stage: Member) -> int:
    """1 if the stage has failed for an element.

    Not with an error of another stage, which a function of the user's got and raised again.
    """
    error = stage.error
    if not isinstance(error, StageError) or error.position is None:
        return 0
    return int(error.stage == stage.name)


def _account(stage: Member, taken: int, gave: int, dropped: int = 0, added: int = 0) -> Account:
    dropped += _passed_over(stage)
    return Account(taken, gave, _held(stage.logic), dropped, _failed(stage), added)


# The rules


def _whole(stage: Member, log: Log) -> Iterable[Account]:
    """All inlets together, against all outlets together."""
    logic = stage.logic
    return (_account(stage, _taken(logic.inlets), _gave(logic.outlets)),)


def _counting(dropped: str, added: str = "") -> Rule:
    """As ``_whole``; attributes of the logic count what it ``dropped`` by policy and ``added``."""

    def rule(stage: Member, log: Log) -> Iterable[Account]:
        logic = stage.logic
        more = getattr(logic, added) if added else 0
        less = getattr(logic, dropped) if dropped else 0
        yield _account(stage, _taken(logic.inlets), _gave(logic.outlets), less, more)

    return rule


def _recovering(stage: Member, log: Log) -> Iterable[Account]:
    logic: Any = stage.logic
    added = logic._last is not None
    waits = bool(logic._last)
    yield _account(stage, _taken(logic.inlets), _gave(logic.outlets) + waits, 0, added)


def _each_outlet(stage: Member, log: Log) -> Iterable[Account]:
    """Every outlet that nobody has left gets all."""
    logic, taken = stage.logic, _taken(stage.logic.inlets)
    for outlet in logic.outlets:
        if not outlet.cancelled:
            yield _account(stage, taken, outlet.count)


def _tapped(stage: Member, log: Log) -> Iterable[Account]:
    logic: Any = stage.logic
    main, side = logic.outlets
    taken = _taken(logic.inlets)
    yield _account(stage, taken, _gave((main,)))
    if not side.cancelled and stage.error is None and main.cause is None:
        yield _account(stage, taken, side.count + len(logic._waiting), logic._dropped)


def _each_inlet(stage: Member, log: Log) -> Iterable[Account]:
    """One element of every inlet makes one that is given."""
    logic = stage.logic
    for inlet in logic.inlets:
        yield _account(stage, inlet.count, _gave(logic.outlets))


def _latest(stage: Member, log: Log) -> Iterable[Account]:
    """The first elements of all inlets make one, every further one makes one."""
    logic: Any = stage.logic
    firsts = 0 if logic._latest is None else len(logic.inlets) - 1
    yield _account(stage, _taken(logic.inlets), _gave(logic.outlets), firsts)


def _inner(stage: Member, log: Log) -> Iterable[Account]:
    """The elements of inner streams are emitted; the outer inlet only starts them."""
    logic: Any = stage.logic
    streams = [inlet for inlet in logic.inlets if inlet is not logic.inlet]
    yield Account(_taken(streams), _gave(logic.outlets))


def _grouped(stage: Member, log: Log) -> Iterable[Account]:
    """The first outlet gives the groups; the elements go to theirs."""
    logic: Any = stage.logic
    yield _account(stage, _taken(logic.inlets), _gave(logic.outlets[1:]), logic._dropped)


def _kept(stage: Member, log: Log) -> Iterable[Account]:
    """A hub has shown to its subscribers all that it took."""
    logic: Any = stage.logic
    if logic.inlet.count:  # else it may replay a stream that is over
        yield Account(logic.inlet.count, logic._buffer.end)


def _batched(stage: Member, log: Log) -> Iterable[Account]:
    """Elements, against the sizes of the lists that were sent on."""
    logic: Any = stage.logic
    outlet = logic.outlet
    line = outlet._downstream
    inlet = getattr(getattr(line, "_down", line), "_inlet", None)
    if inlet is None or outlet.unwanted:
        return
    frames = [one.frame for _, _, one in log.put if _goes_to(one, inlet)]
    if sum(map(len, frames)) == outlet.count:  # else some were refused after the end
        sizes = (len(_value_of(batch)) for frame in frames for batch in frame)
        yield _account(stage, logic.inlet.count, sum(sizes))


def _value_of(element: Any) -> Any:
    """The user's part of ``element``, which may be an envelope."""
    return element.value if isinstance(element, Tracked) else element


def _goes_to(message: Any, inlet: Inlet) -> bool:
    return getattr(message, "inlet", None) is inlet and hasattr(message, "frame")


EXACT: Final = True
AT_MOST: Final = False
RULES: Final[Mapping[str, tuple[Rule, bool]]] = {
    **dict.fromkeys(
        (
            "Balance",
            "BackpressureTimeout",
            "Amb",
            "Catch",
            "CompletionTimeout",
            "Concat",
            "Delay",
            "Feedback",
            "Identity",
            "IdleTimeout",
            "InitialTimeout",
            "Interleave",
            "KillSwitchStage",
            "Map",
            "MapAsync",
            "MapError",
            "Merge",
            "MergeHubLogic",
            "MergeSorted",
            "Monitor",
            "OnTermination",
            "Partition",
            "PassThrough",
            "Scan",
            "SortWithin",
            "Starmap",
            "Throttle",
            "WithIndex",
        ),
        (_whole, EXACT),
    ),
    **dict.fromkeys(
        (
            "Distinct",
            "DistinctUntilChanged",
            "Filter",
            "MapNotNone",
            "Skip",
            "SkipWhile",
            "SkipWithin",
            "Take",
            "TakeWhile",
            "TakeWithin",
        ),
        (_whole, AT_MOST),
    ),
    "Batch": (_batched, EXACT),
    "Broadcast": (_each_outlet, EXACT),
    "Buffer": (_counting("_dropped"), EXACT),
    "CombineLatest": (_latest, EXACT),
    "Conflate": (_counting("_conflated"), EXACT),
    "Debounce": (_counting("_dropped"), EXACT),
    "FlatMapMerge": (_inner, EXACT),
    "GroupBy": (_grouped, EXACT),
    "HubLogic": (_kept, EXACT),
    "KeepAlive": (_counting("", "_added"), EXACT),
    "PartitionHubLogic": (_counting("_dropped"), EXACT),
    "Recover": (_recovering, EXACT),
    "Sample": (_counting("_dropped"), EXACT),
    "SwitchMap": (_inner, EXACT),
    "WireTap": (_tapped, EXACT),
    "Zip": (_each_inlet, EXACT),
}
"""By the class of a stage's logic, or of a base of it: the rule, and whether nothing may miss.

Not here is what makes something else of its elements (folds, windows, ``flat_map``, ``expand``) or
adds to them what only it can count: for those no such equation is defined. Nor for a logic of the
user's own, unless it is derived from one that is here and does not say ``conserves = False``, or
says ``conserves = "at most once"``. Their links are looked at all the same.
"""
LEAVING: Final = frozenset({"CombineLatest", "HotJunction", "KillSwitchStage", "Zip"})
"""Of those whose account is exact, the kinds that are meant to complete while elements come."""
_known: dict[type[StageLogic], tuple[Rule | None, bool]] = {}


def _rule_of(logic: StageLogic) -> tuple[Rule | None, bool]:
    kind = type(logic)
    if kind not in _known:
        ours = (base for base in kind.__mro__ if base.__module__.startswith("actors_rs."))
        names = [base.__name__ for base in ours if kind.conserves is True]
        unlisted = (_whole, AT_MOST) if kind.conserves == "at most once" else (None, False)
        _known[kind] = next((RULES[name] for name in names if name in RULES), unlisted)
    return _known[kind]
