"""Faults at named points: errors of user code, threads and clocks, on purpose.

    faults = Faults(rate=0.02, seed=7)
    source.map(faults.around("user", enrich)).on_failure("resume")

A ``Faults`` raises, of the kind asked for, when control passes one of its points: at random, or at
visits named beforehand with ``Faults.at``. ``FaultyActor`` and ``faulty_stage`` have one in each of
their hooks. In a deterministic world let the search decide: ``Faults(decide=world.fault)``.
Beside it are objects that raise when looked at, functions that do not return, threads that do not
start, and a clock that jumps.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial, wraps
from inspect import iscoroutinefunction
from typing import Any, Final, TypeVar

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.language.flow import Flow
from actors_rs.runtime._primitives import AnyThread, Event, Lock, Random, monotonic
from actors_rs.runtime.actors.actor import PooledActor
from actors_rs.runtime.dispatch.resources import Resources, threads
from actors_rs.runtime.settings import check_count, check_int, check_rate, check_text
from actors_rs.stages.passing import PassThrough
from actors_rs.stages.stage import Budget
from actors_rs.texts import one_of, repr_of

__all__ = [
    "ACTOR_POINTS",
    "HOSTILE_METHODS",
    "KINDS",
    "STAGE_POINTS",
    "Fault",
    "Faults",
    "FaultyActor",
    "JumpingClock",
    "Stuck",
    "faulty_stage",
    "hostile",
    "is_injected",
    "threads_refused",
]

T = TypeVar("T")


class Fault(Exception):  # noqa: N818 - what was injected is no error of anybody's
    """An ordinary exception that was injected; the message names the point."""


class BareFault(BaseException):
    """One that is no ``Exception``, and nothing that Python knows."""


def _bare_group(text: str) -> BaseException:
    return BaseExceptionGroup(text, [BareFault(text)])


KINDS: Final[dict[str, Callable[[str], BaseException]]] = {
    "exception": Fault,
    "StopIteration": StopIteration,
    "MemoryError": MemoryError,
    "RecursionError": RecursionError,
    "SystemExit": SystemExit,
    "KeyboardInterrupt": KeyboardInterrupt,
    "GeneratorExit": GeneratorExit,
    "CancelledError": CancelledError,
    "BaseException": BareFault,
    "BaseExceptionGroup": _bare_group,
}
"""Exceptions to inject, by name: a function from a text to the exception."""

ACTOR_POINTS: Final = ("on_start", "on_receive", "on_stop", "on_failure")
"""The points of a ``FaultyActor``, named after its hooks."""
STAGE_POINTS: Final = ("start", "advance", "drain", "stop")
"""The points of a ``faulty_stage``, named after the hooks of a stage's logic."""
HOSTILE_METHODS: Final = ("__eq__", "__hash__", "__repr__", "__str__", "__bool__", "__del__")
"""Methods that Python, a library or a log may call on any object."""


def _check_points(points: object) -> None:
    """A text is a collection, of each part of it."""
    if points is None:
        return
    if isinstance(points, str) or not isinstance(points, Collection):
        raise ArgumentTypeError(f"points must be such as ('parse',), got {repr_of(points)}")
    for point in points:
        check_text("a point", point)


class Faults:
    """Decides at each visit of a point whether a fault happens. Any thread.

    ``rate`` is the probability of a fault at each visit of one of ``points`` (without them, of any
    point), drawn by ``seed``; or ``decide(point)`` decides. ``kind`` is one of ``KINDS``. Raises
    ``InvalidArgumentError`` for another kind, for a rate that is no probability, and for settings
    under which a fault could never happen, or not be repeated.
    """

    def __init__(
        self,
        rate: float = 0.0,
        *,
        seed: int = 0,
        kind: str = "exception",
        points: Collection[str] | None = None,
        decide: Callable[[str], bool] | None = None,
    ) -> None:
        if not isinstance(kind, str) or kind not in KINDS:
            raise InvalidArgumentError(f"kind must be {one_of(KINDS, kind)}")
        check_rate("rate", rate)
        check_int("seed", seed)
        _check_points(points)
        if decide is not None and not callable(decide):
            raise ArgumentTypeError(f"decide must be a function of a point, got {repr_of(decide)}")
        self._dice = Random(seed)
        may_happen = decide or (lambda point: self._dice.random() < rate)
        self._decide = may_happen
        if points is not None:
            self._decide = lambda point: point in points and may_happen(point)
        self._make = KINDS[kind]
        self._lock = Lock()
        self.visits: Counter[str] = Counter()
        """How often each point was passed, the visits that raised included."""
        self.happened: Counter[str] = Counter()
        """How often each point raised."""

    @classmethod
    def at(cls, visits: Mapping[str, int], kind: str = "exception") -> Faults:
        """One fault at each of these points, at the visit of that number, counted from 1.

        Raises ``InvalidArgumentError`` for what is no number from 1 on.
        """
        if not isinstance(visits, Mapping):
            raise ArgumentTypeError(f"visits must be such as {{'parse': 3}}, got {repr_of(visits)}")
        for point, number in visits.items():
            check_text("a point", point)
            check_count(f"the visit of '{point}'", number)
        faults = cls(kind=kind)
        faults._decide = lambda point: faults.visits[point] == visits.get(point)
        return faults

    def visit(self, point: str) -> None:
        """Control passes ``point``: raise here, if a fault happens."""
        with self._lock:
            self.visits[point] += 1
            if not self._decide(point):
                return
            self.happened[point] += 1
            number = self.visits[point]
        error = self._make(f"injected at '{point}', visit {number}")
        error.injected = True  # type: ignore[attr-defined]
        raise error

    def around(self, point: str, f: Callable[..., T]) -> Callable[..., T]:
        """``f``, with a visit of ``point`` before each call; a coroutine function stays one."""
        if iscoroutinefunction(f):

            @wraps(f)
            async def awaiting(*args: Any, **kwargs: Any) -> Any:
                self.visit(point)
                return await f(*args, **kwargs)

            return awaiting  # type: ignore[return-value]

        @wraps(f)
        def visiting(*args: Any, **kwargs: Any) -> T:
            self.visit(point)
            return f(*args, **kwargs)

        return visiting


def is_injected(error: BaseException) -> bool:
    """Whether a ``Faults`` raised ``error``: a ``KeyboardInterrupt`` may be the user's as well."""
    return getattr(error, "injected", False) is True


class FaultyActor(PooledActor):
    """An actor with a point in each hook; it answers what it is asked and keeps what it got."""

    def __init__(self, faults: Faults) -> None:
        super().__init__()
        self.faults = faults
        self.got: list[Any] = []

    def on_start(self) -> None:
        self.faults.visit("on_start")

    def on_stop(self) -> None:
        self.faults.visit("on_stop")

    def on_failure(self, *_: Any) -> None:
        self.faults.visit("on_failure")

    def on_receive(self, message: Any) -> Any:
        self.faults.visit("on_receive")
        self.got.append(message)
        return message


def faulty_stage(flow: Flow[Any, T], faults: Faults) -> Flow[Any, T]:
    """``flow`` with a stage at its end that passes everything on, with a point in each hook."""
    return flow.then("faulty", partial(_FaultyStage, faults))


class _FaultyStage(PassThrough):
    def __init__(self, faults: Faults) -> None:
        super().__init__()
        self._faults = faults

    def start(self) -> None:
        self._faults.visit("start")

    def advance(self, budget: Budget) -> None:
        self._faults.visit("advance")
        super().advance(budget)

    def drain(self) -> None:
        self._faults.visit("drain")

    def stop(self, error: BaseException | None) -> None:
        self._faults.visit("stop")


def hostile(*methods: str) -> Any:
    """An object whose ``methods``, some of ``HOSTILE_METHODS``, raise a ``Fault``.

    Raises ``InvalidArgumentError`` for any other name.
    """

    def raising(name: str) -> Callable[..., Any]:
        def method(*_: object) -> Any:
            raise Fault(f"injected in {name}")

        return method

    for name in methods:
        if name not in HOSTILE_METHODS:
            choice = one_of(HOSTILE_METHODS, name, "actors_rs.testing.faults.HOSTILE_METHODS")
            raise InvalidArgumentError(f"hostile: expected {choice}")
    body: dict[str, Any] = {name: raising(name) for name in methods}
    if "__eq__" in body:
        body.setdefault("__hash__", object.__hash__)
    return type("Hostile", (), body)()


class Stuck:
    """A function that does not return before it is released. Any thread; use it in ``with``."""

    def __init__(self) -> None:
        self._gate = Event()
        self._lock = Lock()
        self.inside = 0
        """How many calls are being held."""

    def __call__(self, value: T) -> T:
        """``value``, once released."""
        with self._lock:
            self.inside += 1
        try:
            self._gate.wait()
        finally:
            with self._lock:
                self.inside -= 1
        return value

    def release(self) -> None:
        """Let all calls return, those to come too."""
        self._gate.set()

    def __enter__(self) -> Stuck:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


@contextmanager
def threads_refused(prefix: str = "") -> Iterator[Counter[str]]:
    """In this block no thread can be started whose name begins with ``prefix``.

    Starting one raises the ``RuntimeError`` that Python raises when the operating system has none
    left. Gives the names, with how often each was refused.
    """
    start = AnyThread.start
    refused: Counter[str] = Counter()

    def refusing(thread: AnyThread) -> None:
        if thread.name.startswith(prefix):
            refused[thread.name] += 1
            raise RuntimeError("can't start new thread")
        start(thread)

    AnyThread.start = refusing  # type: ignore[assignment, method-assign]
    try:
        yield refused
    finally:
        AnyThread.start = start  # type: ignore[method-assign]


class JumpingClock:
    """A clock that is right until ``jump`` moves it, forwards or backwards. Any thread."""

    def __init__(self, base: Callable[[], float] = monotonic) -> None:
        self._base = base
        self._ahead = 0.0

    def __call__(self) -> float:
        """The seconds it shows."""
        return self._base() + self._ahead

    def jump(self, seconds: float) -> None:
        """Be so many seconds ahead from now on; a negative number sets it back."""
        self._ahead += seconds

    def resources(self, *, workers: int = 2, cap: int = 256, name: str = "actors") -> Resources:
        """Real threads, all of whose clocks are this one: for ``ActorSystem(resources=...)``."""
        real = threads(name, workers=workers, cap=cap)
        return real._replace(now=self, timing_clock=self, wall_clock=self)
