"""Stage logic: the work of a stage, apart from threads.

A logic sees its inlets and outlets, and a ``StageContext`` for the few things that reach beyond its
own actor. Its ``advance`` is called whenever something may have changed (elements, demand, an end).
It does what it can within its ``Budget``, and returns. It can be tested without an actor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from typing import Any, Literal, Protocol

from actors_rs.errors import DeciderError
from actors_rs.raised import askable
from actors_rs.stages.chunks.counted import skip_all
from actors_rs.stages.context import Cancellable, Release, StageContext
from actors_rs.stages.failure import STOP, OnFailure, Policy
from actors_rs.stages.load import Load
from actors_rs.stages.ports import Inlet, Outlet

__all__ = ["Budget", "Cancellable", "Release", "StageContext", "StageLogic", "Stream", "StreamEnd"]


class Budget(Protocol):
    """How long a logic may go on within one turn."""

    def lap(self) -> float:
        """Seconds since the last call, or since the turn began."""
        ...

    def spent(self) -> bool:
        """Whether to return now; the stage is then called again soon.

        Call it before each further chunk, not after the last one.
        """
        ...


class Stream:
    """A source that a stage may have started with ``attach``. Stages need not know its class."""

    __slots__ = ()


class StageLogic:
    """Base of all logics. Hooks run in the stage's own turns, so never two at a time.

    A hook that raises fails the stage: all inlets are cancelled and all outlets fail.
    """

    inlets: Sequence[Inlet] = ()
    outlets: Sequence[Outlet] = ()
    last_inlet: Inlet | None = None
    """The inlet that figures show, if it is not the first: for instance, the inlet of a part.
    """
    last_outlet: Outlet | None = None  # the same for what it gives
    context: StageContext
    window: int = 4096
    """What an inlet of this stage keeps requested by default; set before it starts."""
    auto = False
    """Whether that is the most, and its inlets request what fits its pace; set before it starts."""
    window_follows: Literal["pace", "weight", "memory", "own"] = "pace"
    """What an automatic window follows: ``weight`` alone where a large one is worth the time it
    takes. ``memory``: the system's memory limit alone, as elements are to wait in its inlet, or the
    stage widens its window. ``own``: the stage sets windows itself."""
    weigh: Callable[[Any], float] | None = None
    """Bytes of an element that comes, as the user says; never raises."""
    ends_with_run = False
    """Whether it learns of a cancelled run, as no cancellation of a sink may reach it."""
    waits_outside = False
    """Whether something else than a peer, a timer or a job of its context may wake it."""
    held_back: Callable[[], bool] | None = None
    """Whether it has something to give that nobody asks for, where ports are too many to look."""
    stall_after: float | None = None  # seconds for which its run stands still before ``unblock``
    in_steps = False
    """Whether a job that may block is one step, between which others decide what comes next: one
    that does several things in a row hides their orders. Set before it starts."""
    never_waits = False
    """Whether its turns never wait: it calls no code of the user's, and no element of a source is
    waited for. Others may share its island. What elements do when they are added or compared does
    not count. Not inherited: who does more may well wait."""
    holds_elements = False
    """Whether it is a source that has all its elements from the start. As an inner stream it gives
    them although its run drains: they are in flight, like the element that they came of."""
    recovers = False
    """Whether it may deal with a failure of another stage, so that the run goes on."""
    interrupt: Callable[[], object] | None = None
    """Called once, on another thread, when it is to end: it may be in a call that does not."""
    interrupted = False  # whether that was done, or is being done
    conserves: bool | Literal["at most once"] = True
    """Whether a world counts its input and output, where it knows how or this says so."""
    on_failure: OnFailure = STOP
    """What to do with an element that makes user code raise; set before it starts."""
    passes_demand = False
    """Whether it requests what downstream has requested, and no more: it looks on, or hands on."""
    total: int | None = None  # elements it will give, if that is known
    held_bytes = 0  # of elements that wait in the stage, beside its inlets; any thread
    load: Load | None = None  # calls that others make for it
    drawing: Iterator[Any] | None = None
    """The iterator over its chunk: the elements that it calls functions for."""
    remake: Callable[[], StageLogic]
    """Gives a fresh logic of the same stage; set before it starts."""
    released_attributes: tuple[str, ...] = ()
    """Attributes with collected elements; they are ``None`` after its end."""
    on_lost: Callable[[Iterable[Any]], None] | None = None
    """Gets an element for which the stage fails, where a section is to account for it."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.never_waits = vars(cls).get("never_waits", False)

    def expect_expensive(self) -> None:
        """Ask for no element that is not asked for, if possible; called before everything else."""

    def asked(self) -> float:
        """How many elements it can take before it waits for downstream, if it knows.

        An automatic window does not grow beyond that: see ``AutoWindow``.
        """
        return inf

    def start(self) -> None:
        """Called once, before anything else: open files, take resources."""

    def advance(self, budget: Budget) -> None:
        """Do what elements, demand and ends allow; return when ``budget`` is spent."""
        raise NotImplementedError

    def drain(self) -> None:
        """Take no more from outside; deliver the elements in flight.

        Only sources have to do anything.
        """

    def halt(self) -> None:
        """Call no further function of the user's: the stage is given up. On another thread."""
        if self.drawing is not None:
            skip_all(self.drawing)

    def stop(self, error: BaseException | None) -> None:
        """Called once, after everything else: release resources.

        ``error`` is ``None`` only if the stage came to its regular end.
        """

    def details(self) -> dict[str, Any]:
        """Figures of this kind of stage for ``snapshot``; called from any thread."""
        return {}

    @property
    def finished(self) -> bool:
        """Whether the stage has nothing left to do: every port is closed. Asked in every turn."""
        for outlet in self.outlets:
            if not outlet.closed:
                return False
        for inlet in self.inlets:  # noqa: SIM110 - a generator costs more than the answer
            if not inlet.exhausted:
                return False
        return True

    def end(self, error: BaseException | None) -> None:
        """End every port: complete the outlets, or fail them with ``error``."""
        for inlet in self.inlets:
            inlet.cancel(error)
        for outlet in self.outlets:
            if error is not None:
                outlet.fail(error)
            else:
                outlet.complete()

    def downstream_failure(self) -> BaseException | None:
        """Why an outlet was cancelled, if the reason was a failure of a stage downstream."""
        return next((out.cause for out in self.outlets if out.cause is not None), None)

    def fail(self, error: BaseException, position: int | None = None) -> None:
        """Fail the stage: cancel upstream, fail downstream, once."""
        self.end(self.context.failed(error, position))

    def fail_for(
        self,
        element: Any,
        error: BaseException,
        position: int | None,
        beside: BaseException | None = None,
    ) -> None:
        """As ``fail``, because of ``element``, for which a section may have to account."""
        failure = self.context.failed(error, position, beside=beside)
        if self.on_lost is not None:
            self.on_lost((element,))
        self.end_behind(failure)

    def end_behind(self, failure: BaseException) -> None:
        """``end`` with ``failure``, which an element caused, after the held elements."""
        self.end(failure)

    def survives(
        self,
        error: BaseException,
        element: Any,
        position: int | None,
        *,
        first: Callable[[], None] | None = None,
    ) -> bool:
        """Whether to go on after ``element``, for which user code raised ``error``.

        Ask it wherever a function of the user's is applied to an element; ``position`` is the
        number of elements taken before it. If the stage's policy says so, the element is a dead
        letter now and the caller goes on with the next one. Otherwise the stage has failed and
        the caller returns; ``first`` was called before, to emit what came before the element.
        """
        error = askable(error)
        policy, beside = self._decide(error, element)
        if policy == "stop" or not isinstance(error, Exception):
            if first is not None:
                first()
            self.fail_for(element, error, position, beside)
            return False
        self.context.passed_over(element, error, position, policy)
        return policy != "restart" or self._is_renewed(error, position, first)

    def _is_renewed(
        self, error: BaseException, position: int | None, first: Callable[[], None] | None
    ) -> bool:
        """Whether it could begin anew; else it has failed, after the elements before."""
        try:
            self.renew(error, position)
        except Exception as failure:
            if first is not None:
                first()
            self.end_behind(self.context.failed(failure))
            return False
        return True

    def unblock(self) -> Callable[[], None] | None:
        """What to do in this stage's turn, as the run stands still for good. Any thread."""
        return None

    def held(self) -> Iterable[Any]:
        """Elements taken and not given on: a restart or a failing section loses them.

        Name what is kept outside the inlets. It is asked more than once, so copy any iterator.
        """
        return ()

    def release_held(self) -> None:
        """Called after ``stop``, when all elements are counted: keep no reference to one.

        ``held`` still names as many elements, without saying which. An element may be a group,
        which waits until no reference to it is left. The run keeps this logic as long as it waits,
        and for its figures as long as any code has the run. An exception here is a dead letter.
        """
        for name in self.released_attributes:
            setattr(self, name, None)

    def renew(self, error: BaseException, position: int | None) -> None:
        """Begin with fresh state after the element at ``position``, which raised ``error``.

        Nothing happens here: a stage that holds only elements in flight keeps them.
        """

    def _decide(self, error: BaseException, element: Any) -> tuple[Policy, DeciderError | None]:
        """The policy, and what went wrong while it was decided."""
        if not isinstance(error, Exception) or issubclass(type(error), MemoryError):
            return "stop", None  # this is no element's fault
        try:
            return self.on_failure.decide(error, element), None
        except DeciderError as undecided:
            return "stop", undecided


class StreamEnd(StageLogic):
    """A logic in which a stream ends. Cancelling ``inlet`` ends it before its time."""

    inlet: Inlet
    result: Any = None
    """The run's, or one of its results, once it has ``completed``."""
    completed = False
