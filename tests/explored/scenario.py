# mypy: disable-error-code="var-annotated"
"""Scenarios as data: what is explored, by name, so that mutants can say which of them kills them.

A ``Case`` is a flow and what it gives; ``scenario_of`` makes of it a scenario in which the flow is
run in every way there is: to its end, by a subscriber that uses every freedom, cancelled or drained
at any point, with a source that fails.
"""

from asyncio import sleep
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from actors_rs import Sink, Source
from actors_rs.errors import StageError
from actors_rs.testing.explore import FreeSubscriber, Plan
from actors_rs.testing.world import World

RUNS = 2_500
MOST_STEPS = 3_000
WINDOWS = (4, 2, 1)
ALL_WAYS = ("result", "free", "exact", "cancel", "drain", "fail")
INEXACT = tuple(way for way in ALL_WAYS if way != "exact")
"""Of stages that request what is requested of them: their iterator's end is found by a request."""


@dataclass(frozen=True)
class Scenario:
    """Something to be done in a world, in ``RUNS`` orders; it raises if something is wrong."""

    name: str
    run: Callable[[World], object]
    windows: tuple[int, ...] = WINDOWS

    @property
    def plan(self) -> Plan:
        return Plan(RUNS, windows=self.windows, most_steps=MOST_STEPS)


class Sources:
    """Sources whose beginning and release are counted; one of them may fail."""

    def __init__(self) -> None:
        self.begun = self.released = self.most = 0
        self.fails_behind: int | None = None

    def __call__(self, elements: Sequence[Any]) -> Any:
        return Source.from_iterable(_Elements(self, elements))

    def awaited(self, elements: Sequence[Any]) -> Any:
        """A source of a function that returns an async iterable, which waits now and then."""
        return Source.from_iterable(lambda: self.async_elements(elements))

    async def async_elements(self, elements: Sequence[Any]) -> AsyncIterator[Any]:
        first = not self.begun
        self.begun += 1
        self.most = max(self.most, self.begun - self.released)
        try:
            for given, element in enumerate(elements):
                if first and given == self.fails_behind:
                    raise OSError("gone")
                if given % 2:
                    await sleep(0.01)
                yield element
        finally:
            try:
                await sleep(0.01)  # in which it may be cancelled once more
            finally:
                self.released += 1

    def check(self) -> None:
        kept = self.begun - self.released
        assert not kept, f"{kept} of {self.begun} sources were never released"


class _Elements:
    def __init__(self, sources: Sources, elements: Sequence[Any]) -> None:
        self.sources, self.elements = sources, elements

    def __iter__(self):
        sources = self.sources
        first = not sources.begun
        sources.begun += 1
        sources.most = max(sources.most, sources.begun - sources.released)
        try:
            for given, element in enumerate(self.elements):
                if first and given == sources.fails_behind:
                    raise OSError("gone")
                yield element
        finally:
            sources.released += 1


@dataclass(frozen=True)
class Case:
    """``make`` gets something that makes sources of elements, and returns a flow.

    ``whole`` says what the flow gives: a list, or a function that is true for what is right.
    ``begins`` is true for what can be there when it ends early; by default a beginning of the list.
    """

    make: Callable[[Sources], Any]
    whole: Sequence[Any] | Callable[[list[Any]], object]
    begins: Callable[[list[Any]], object] | None = None
    ways: tuple[str, ...] = ALL_WAYS
    windows: tuple[int, ...] = WINDOWS
    size: int | None = None
    """How many elements there are, where ``whole`` is no list and the number is known."""

    @property
    def known_size(self) -> int | None:
        return self.size if callable(self.whole) else len(self.whole)

    def is_whole(self, got: list[Any]) -> bool:
        return bool(self.whole(got)) if callable(self.whole) else got == list(self.whole)

    def may_begin(self, got: list[Any]) -> bool:
        if self.begins is not None:
            return bool(self.begins(got))
        return callable(self.whole) or got == list(self.whole[: len(got)])


def scenario_of(name: str, case: Case) -> Scenario:
    """``case`` in all of its ways, of which each run takes one."""

    ways = tuple(way for way in case.ways if way != "exact" or case.known_size)

    def run(world: World) -> None:
        sources = Sources()
        WAYS[world.pick("way", ways)](world, case, sources)
        settle(world)
        sources.check()

    return Scenario(name, run, case.windows)


def _result(world: World, case: Case, sources: Sources) -> None:
    got = world.start(case.make(sources).to(Sink.list())).result()
    assert case.is_whole(got), f"gave {got}"


def _free(world: World, case: Case, sources: Sources) -> None:
    subscriber = FreeSubscriber[Any](world)
    world.system.publisher(case.make(sources)).subscribe(subscriber)
    world.finish()
    assert case.may_begin(subscriber.elements), f"gave {subscriber.elements}"
    assert subscriber.end in ("complete", "cancelled"), subscriber.end
    if subscriber.end == "complete":
        assert case.is_whole(subscriber.elements), f"gave {subscriber.elements} and completed"


class _Exact:
    """A subscriber that asks for as many elements as there are, and for no more."""

    def __init__(self, world: World, size: int) -> None:
        self.world, self.left = world, size
        self.elements: list[Any] = []
        self.end: object = None

    def on_subscribe(self, subscription: Any) -> None:
        while self.left:
            n = min(self.left, self.world.pick("demand", (self.left, 1)))
            self.left -= n
            subscription.request(n)

    def on_next(self, element: Any) -> None:
        self.elements.append(element)

    def on_error(self, error: BaseException) -> None:
        self.end = error

    def on_complete(self) -> None:
        self.end = "complete"


def _exact(world: World, case: Case, sources: Sources) -> None:
    subscriber = _Exact(world, case.known_size or 0)
    world.system.publisher(case.make(sources)).subscribe(subscriber)
    world.finish()
    assert case.is_whole(subscriber.elements), f"gave {subscriber.elements}"
    assert subscriber.end == "complete", subscriber.end


def _cancel(world: World, case: Case, sources: Sources) -> None:
    got: list[Any] = []
    run = world.start(case.make(sources).to(Sink.for_each(got.append)))
    world.soon("cancel", run.cancel)
    run.wait()
    assert run.state in ("completed", "cancelled"), run._end.error
    assert case.may_begin(got), f"gave {got}"


def _drain(world: World, case: Case, sources: Sources) -> None:
    run = world.start(case.make(sources).to(Sink.list()))
    world.soon("drain", run.drain)
    assert case.may_begin(run.result()), f"gave {run.result()}"


def _fail(world: World, case: Case, sources: Sources) -> None:
    sources.fails_behind = world.pick("fails behind", (1, 0, 2))
    got: list[Any] = []
    run = world.start(case.make(sources).to(Sink.for_each(got.append)))
    failure = failure_of(run)
    assert isinstance(failure, StageError), repr(failure)
    assert isinstance(failure.__cause__, OSError), repr(failure.__cause__)
    assert not failure.others, f"further failures: {failure.others}"
    assert case.may_begin(got), f"gave {got}"


WAYS = {
    "result": _result,
    "free": _free,
    "exact": _exact,
    "cancel": _cancel,
    "drain": _drain,
    "fail": _fail,
}


def failure_of(run: Any) -> BaseException | None:
    """What ``run`` ended with, having been waited for."""
    run.wait()
    return run._end.error


def settle(world: World) -> None:
    """Let all come to an end, and look whether anything is left behind or was too much."""
    world.finish()
    for scope in world.system.scopes:
        for stage in scope.stages():
            for inlet in stage.logic.inlets:
                asked = inlet.outstanding + inlet.buffered
                assert not inlet.buffered, f"'{stage.name}' ended with {inlet.buffered} elements"
                assert asked <= inlet.window, (
                    f"'{stage.name}' has asked for {asked}, its window is {inlet.window}"
                )
    world.settle()
    left = world.system.children()
    assert not left, f"still there: {', '.join(map(str, left))}"
    assert not len(world._timers), f"{len(world._timers)} timers were left behind"


def steady(*lists: Sequence[Any]) -> Callable[[list[Any]], bool]:
    """True for the elements of ``lists`` in any order that keeps that of each list."""

    def holds(got: list[Any]) -> bool:
        return sorted(map(repr, got)) == sorted(
            repr(one) for each in lists for one in each
        ) and part_of(*lists)(got)

    return holds


def part_of(*lists: Sequence[Any]) -> Callable[[list[Any]], bool]:
    """True for beginnings of each of ``lists``, whose elements differ, mixed in any way."""

    def holds(got: list[Any]) -> bool:
        parts = [[one for one in got if one in each] for each in lists]
        return len(got) == sum(map(len, parts)) and all(
            part == list(each[: len(part)]) for part, each in zip(parts, lists, strict=True)
        )

    return holds
