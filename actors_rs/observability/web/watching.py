"""The page's knowledge of one system: its runs with their history, also of runs that have ended.

One thread calls ``sample`` again and again, and all other methods; runs that begin are noted on
any thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

from actors_rs.engine.run.adjusting import adjustable, is_source
from actors_rs.engine.run.scope import RunScope
from actors_rs.errors import InvalidArgumentError
from actors_rs.observability.table import History, moved
from actors_rs.observability.web.details import stage_details
from actors_rs.observability.web.state import MOST_STAGES, About, run_state
from actors_rs.runtime._primitives import wall_clock
from actors_rs.texts import repr_of, text_of

if TYPE_CHECKING:
    from actors_rs.engine.contract import RunningStage
    from actors_rs.engine.run.snapshot import RunSnapshot
    from actors_rs.runtime.system.parts import Activity
    from actors_rs.runtime.system.system import ActorSystem
    from actors_rs.stages.stage import StageLogic

__all__ = ["Watch", "WatchedRun", "memory_used"]

MOST_ENDED = 50
"""Runs that are shown after their end."""
MINUTES_15 = 900.0
POINT_SECONDS, STAGE_POINT_SECONDS = 1.0, 5.0
"""Between two points of a run's charts, and of a stage's."""
MOST_LOG = 200
MOST_LEDGER_STARTS = 20
_PAGE_SIZE = 4096


class WatchedRun:
    """One run: its state as the page shows it, and its charts."""

    def __init__(self, number: int, scope: RunScope, show_elements: bool) -> None:
        self.number = number
        self.name = text_of(scope.name)
        self.scope: RunScope | None = scope
        self.began = wall_clock()
        self.state: dict[str, Any] = {}
        self.points: deque[tuple[float, ...]] = deque(maxlen=int(MINUTES_15 / POINT_SECONDS))
        """Seconds; elements a second out of sources, into sinks; open demand; bytes of memory."""
        self.stage_points: dict[str, deque[tuple[float, float, float, int]]] = {}
        self.log: deque[dict[str, Any]] = deque(maxlen=MOST_LOG)
        self._show_elements = show_elements
        self._past = History()
        self._details: dict[str, dict[str, Any]] = {}
        self._number_of_island: dict[int, int] = {}

    @property
    def ended(self) -> bool:
        """Whether nothing of it will change any more."""
        return self.scope is None

    def note(self, event: str, stage: str = "", text: str = "") -> None:
        """Write a line into the run's log."""
        self.log.append({"at": wall_clock(), "event": event, "stage": stage, "text": text})

    def sample(self) -> None:
        """Look at the run; the last time when it has ended."""
        scope = self.scope
        if scope is None:
            return
        over = scope.end.is_over
        stages = scope.stages()[:MOST_STAGES]
        now = scope.snapshot()
        before = self._past.before(now)
        self.state = run_state(now, before, {one.name: self._about(one) for one in stages})
        self._add_points(now)
        if over:
            self._details = {one.name: self._detail(one) for one in stages}
            self.scope = None
            self.note("run ended", text=now.state)

    def details(self, name: str) -> dict[str, Any]:
        """The contents of a stage's panel.

        Raises ``InvalidArgumentError`` if there is no such stage.
        """
        found = self._details.get(name)
        if self.scope is not None:
            stages = (one for one in self.scope.stages() if one.name == name)
            found = next((self._detail(one) for one in stages), None)
        if found is None:
            raise InvalidArgumentError(
                f"expected a stage of run {repr_of(self.name)}, got {repr_of(name)}"
            )
        return {**found, "history": list(self.stage_points.get(name, ()))}

    def summary(self) -> dict[str, Any]:
        """Its line in the list of runs."""
        wanted = ("name", "state", "seconds", "progress")
        return {"id": self.number, "began": self.began, **{k: self.state.get(k) for k in wanted}}

    def _detail(self, stage: RunningStage) -> dict[str, Any]:
        return stage_details(stage, self._show_elements)

    def _about(self, stage: RunningStage) -> About:
        island = self._number_of_island.setdefault(id(stage.island), len(self._number_of_island))
        return About(
            island=island,
            paused=getattr(stage, "paused", False),
            source=is_source(stage),
            adjustable=adjustable(stage),
            partitions=_asked(stage.logic, "partition_states", ""),
            attempts=_asked(stage.logic, "partition_attempts", ""),
            ledger=_asked(stage.logic, "ledger_starts", [])[-MOST_LEDGER_STARTS:],
        )

    def _add_points(self, now: RunSnapshot) -> None:
        stages = self.state["stages"]
        if not self.points or now.seconds - self.points[-1][0] >= POINT_SECONDS:
            given = sum(one["rate"] for one in stages if one["source"])
            taken = sum(one["rate"] for one in stages if not one["out"] and one["in"])
            demand = sum(one["demand"] or 0 for one in stages)
            self.points.append((round(now.seconds, 2), given, taken, demand, memory_used()))
        if self._is_time_for_stages(now):
            for shown, stage in zip(stages, now.stages, strict=False):
                past = self.stage_points.setdefault(stage.name, deque(maxlen=180))
                past.append((round(now.seconds, 1), shown["rate"], shown["busy"], moved(stage)))

    def _is_time_for_stages(self, now: RunSnapshot) -> bool:
        if len(self.stage_points) > 2 * MOST_STAGES:  # of inner streams that come and go
            self.stage_points.clear()
        past = self.stage_points.get(now.stages[0].name) if now.stages else None
        return not past or now.seconds - past[-1][0] >= STAGE_POINT_SECONDS


class Watch:
    """The runs of ``system``, the newest last."""

    def __init__(self, system: ActorSystem, show_elements: bool = False) -> None:
        self.system = system
        self.show_elements = show_elements
        self.runs: dict[int, WatchedRun] = {}
        self._newcomers: deque[Activity] = deque(maxlen=MOST_ENDED)
        self._known: dict[int, WatchedRun] = {}  # by the id of lives that have not ended
        self._numbers = count(1)

    def begin(self) -> None:
        """Note runs from now on, also the runs that are going on already."""
        self.system.watchers = (*self.system.watchers, self._newcomers.append)

    def end(self) -> None:
        """Note no more."""
        noting = self._newcomers.append
        self.system.watchers = tuple(one for one in self.system.watchers if one != noting)

    def sample(self) -> None:
        """Look at all runs."""
        while self._newcomers:
            self._enter(self._newcomers.popleft())
        for activity in self.system._living_activities():
            self._enter(activity)
        for key, run in tuple(self._known.items()):
            run.sample()
            if run.ended:
                del self._known[key]
        ended = [number for number, run in self.runs.items() if run.ended]
        for number in ended[:-MOST_ENDED]:
            del self.runs[number]

    def run(self, number: int) -> WatchedRun:
        """The run of that number; raises ``InvalidArgumentError`` if there is none."""
        if (found := self.runs.get(number)) is None:
            raise InvalidArgumentError(f"expected the number of a run, got {repr_of(number)}")
        return found

    def living(self) -> tuple[WatchedRun, ...]:
        """The runs that have not ended."""
        return tuple(self._known.values())

    def newest(self) -> WatchedRun | None:
        """The run that is shown if none is asked for: the newest that goes on, else the newest."""
        living = [run for run in self.runs.values() if not run.ended]
        return next(reversed(living or list(self.runs.values())), None)

    def _enter(self, activity: Activity) -> None:
        if not isinstance(activity, RunScope) or id(activity) in self._known:
            return
        number = next(self._numbers)
        run = WatchedRun(number, activity, self.show_elements)
        self._known[id(activity)] = self.runs[number] = run
        run.note("run started")


def _asked(logic: StageLogic, what: str, otherwise: Any) -> Any:
    """The answer of a source of Spark partitions; ``otherwise`` for all other stages."""
    method = getattr(logic, what, None)
    return otherwise if method is None else method()


def memory_used() -> int:
    """The bytes of memory that this process has; 0 where the machine does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * _PAGE_SIZE
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def system_state(watch: Watch) -> Mapping[str, Any]:
    """The figures of the system itself."""
    known = watch.system.statistics()
    return {
        "name": known.name,
        "state": known.state,
        "workers": known.workers,
        "actors": known.actors,
        "runs": known.runs,
        "ready": known.ready,
        "dead_letters": known.dead_letters.total,
        "memory": memory_used(),
    }
