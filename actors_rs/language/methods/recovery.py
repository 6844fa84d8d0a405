"""Recovery from failures within a stream: methods of ``Flow``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, Never, TypeAlias, TypeVar

from actors_rs.errors import InvalidArgumentError
from actors_rs.graph.checks import (
    at_least,
    cannot_run,
    function,
    optional_plain_function,
    plain_function,
    positive_seconds,
    stream_function,
    wrong_kind,
)
from actors_rs.graph.spec import OutletRef
from actors_rs.language.initial import Always
from actors_rs.language.methods.chain import Chain
from actors_rs.language.methods.substreams import source_in
from actors_rs.runtime.rate.rate_limit import RateLimit
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.stages.calls.fallback import Fallback
from actors_rs.stages.calls.limit import CallLimit
from actors_rs.stages.calls.retries import Retries
from actors_rs.stages.operators.map_async import MapAsync
from actors_rs.stages.operators.map_error import MapError
from actors_rs.stages.operators.recover import Recover
from actors_rs.stages.operators.recover_with import RecoverWith
from actors_rs.stages.stage import Stream
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = [
    "MOST_ABANDONED",
    "Recovery",
    "RetryOn",
    "falling_back",
    "limited_calls",
    "optional_backoff",
    "worth_retrying",
]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
R = TypeVar("R")
M = TypeVar("M", bound=MapAsync)
RetryOn: TypeAlias = type[BaseException] | tuple[type[BaseException], ...]

MOST_ABANDONED = 16
"""Calls beyond their time that may still be under way, unless the user says otherwise."""


class Recovery(Chain[In_contra, Out_co]):
    """Operators for errors that arrive from upstream.

    The error is a ``StageError`` whose ``__cause__`` is the exception that a stage raised, or the
    error of ``Source.failed`` or of a foreign publisher, unchanged.
    """

    _out: OutletRef

    def recover(self, f: Callable[[Exception], R]) -> Flow[In_contra, Out_co | R]:
        """``f(error)`` as a last element in place of a failure; ``f`` may raise the error again.

        ``error`` is a ``StageError`` if a stage has failed, and ``error.__cause__`` is the
        exception that was raised there. If ``f`` raises another error, the run raises ``error``,
        with a note that names the other one.

        >>> Source.of("3", "x").map(int).recover(lambda error: -1).run(Sink.list())
        [3, -1]
        """
        function(f, "recover: f")
        return self.then("recover", partial(Recover, f), forgiving=True)

    def recover_with(
        self,
        stream: Flow[Never, R] | Callable[[Exception], Flow[Never, R]],
        attempts: int = 1,
    ) -> Flow[In_contra, Out_co | R]:
        """``stream`` in place of a failure, or the stream that ``stream(error)`` returns.

        If that fails too it is started again, ``attempts`` times in all (1): so
        ``source.recover_with(source, 3)`` begins a source anew up to three times. The function may
        raise the error again: then the stream fails with it.

        >>> Source.failed(OSError("gone")).recover_with(Source.of("cached")).run(Sink.list())
        ['cached']
        """
        at_least(1, attempts, "recover_with: attempts")
        if isinstance(stream, Stream):
            source_in(stream, "recover_with")
            return self._recovering(Always(stream), attempts)
        f = stream_function(stream, "recover_with: a Source, or a function giving one,")
        return self._recovering(f, attempts)

    def _recovering(
        self, f: Callable[[Exception], Any], attempts: int
    ) -> Flow[In_contra, Out_co | Any]:
        return self.then("recover_with", partial(RecoverWith, f, attempts), forgiving=True, inner=1)

    def map_error(self, f: Callable[[Exception], BaseException]) -> Flow[In_contra, Out_co]:
        """Fail with ``f(error)`` where upstream fails with ``error``, which becomes its cause.

        >>> flow = Source.failed(OSError("gone")).map_error(lambda error: LookupError("no orders"))
        >>> flow.recover(str).run(Sink.list())
        ['no orders']
        """
        plain_function(f, "map_error: f")
        return self.then("map_error", partial(MapError, f))

    def retry(
        self,
        backoff: Backoff | None = None,
        max_attempts: int = 3,
        budget: RateLimit | None = None,
        when: Callable[[Exception], Any] | None = None,
        after: Callable[[Exception], float | None] | None = None,
    ) -> Flow[In_contra, Out_co]:
        """Let the ``map_async`` before this call its function again for an element it failed for.

        - ``backoff``: the wait between two calls for an element, by default ``Backoff()``. The
          waiting element takes no thread and no place among the ``parallelism`` calls.
        - ``max_attempts``: calls for an element, the first one included; 3 by default.
        - ``budget``: a ``RateLimit`` for the further calls of all elements together, and of all
          streams that share it. An element beyond it fails at once. Give the limit a ``burst``, its
          n for instance: by default it lets hardly more than one call pass at a moment.
        - ``when``: ``when(error)`` says which errors are worth another call, by default every
          ``Exception``.
        - ``after``: ``after(error)`` gives the seconds to wait, for instance the ``Retry-After`` of
          an answer 429, or ``None``: then ``backoff`` does. The seconds may be more than
          ``backoff.maximum``, and jitter does not change them. Fewer than 0 are 0.

        If ``when`` or ``after`` raises, or ``after`` gives something else, the stage fails under
        any policy.
        After its last call an element fails as it would without this: ``fallback`` of ``map_async``
        is called, and ``on_failure`` decides.
        Raises ``GraphError`` if the stage before is no ``map_async``.

        >>> answers = iter([OSError("busy"), "ok"])
        >>> def ask(url):
        ...     if isinstance(answer := next(answers), OSError):
        ...         raise answer
        ...     return answer
        >>> Source.of("/orders").map_async(ask).retry(max_attempts=2).run(Sink.list())
        ['ok']
        """
        optional_backoff(backoff, "retry: backoff")
        backoff = Backoff() if backoff is None else backoff
        at_least(1, max_attempts, "retry: max_attempts")
        if budget is not None and not isinstance(budget, RateLimit):
            raise wrong_kind(f"retry: budget must be a RateLimit, got {repr_of(budget)}")
        optional_plain_function(when, "retry: when")
        optional_plain_function(after, "retry: after")
        spec = self._out.spec
        if spec.kind != "map_async":
            raise cannot_run(
                f"retry must follow map_async directly, got '{spec.kind}'{spec.made} before it"
            )

        make = partial(_retrying, spec.make, backoff, max_attempts, budget, when, after)
        return self._changed("retry", make=make, attempts=max_attempts)

    def _changed(self, how: str, **changes: Any) -> Flow[In_contra, Out_co]:
        raise NotImplementedError


def _retrying(
    make: Callable[[], Any],
    backoff: Backoff,
    max_attempts: int,
    budget: RateLimit | None,
    when: Callable[[Exception], Any] | None,
    after: Callable[[Exception], float | None] | None,
) -> MapAsync:
    logic = make()
    assert isinstance(logic, MapAsync)
    logic.retries = Retries(partial(_wait, backoff, logic), max_attempts, budget, when, after)
    return logic


def _wait(backoff: Backoff, logic: MapAsync, attempts: int) -> float:
    """Seconds after call number ``attempts``; the stage's surroundings give the random numbers."""
    return backoff.drawn(attempts - 1, logic.context.chance)


def optional_backoff(value: Any, what: str) -> None:
    """Raise unless ``value`` is ``None`` or a ``Backoff``."""
    if value is not None and not isinstance(value, Backoff):
        raise wrong_kind(f"{what} must be a Backoff, got {repr_of(value)}")


def worth_retrying(retry_on: RetryOn) -> Callable[[Exception], bool]:
    """Tells whether an error is one of ``retry_on``."""
    kinds = retry_on if isinstance(retry_on, tuple) else (retry_on,)
    for kind in kinds:
        if not isinstance(kind, type) or not issubclass(kind, BaseException):
            raise wrong_kind(
                "map_async: retry_on must be an exception class or a tuple of them, "
                f"got {repr_of(retry_on)}"
            )
    return partial(_is_one_of, kinds)


def _is_one_of(kinds: tuple[type[BaseException], ...], error: Exception) -> bool:
    return isinstance(error, kinds)


def limited_calls(
    make: Callable[[], MapAsync], timeout: float | None, max_abandoned: int | None
) -> Callable[[], MapAsync]:
    """``make``, whose calls have ``timeout`` seconds each."""
    most = MOST_ABANDONED if max_abandoned is None else max_abandoned
    at_least(0, most, "map_async: max_abandoned")
    if timeout is not None:
        return partial(_limited, make, positive_seconds(timeout, "map_async: timeout"), most)
    if max_abandoned is not None:
        raise InvalidArgumentError(
            f"map_async: max_abandoned={max_abandoned} counts calls that took longer than timeout, "
            "and timeout was not given: add timeout=, in seconds, or leave max_abandoned out"
        )
    return make


def _limited(make: Callable[[], MapAsync], seconds: float, max_abandoned: int) -> MapAsync:
    logic = make()
    logic.limit = CallLimit(seconds, max_abandoned)
    return logic


def falling_back(
    make: Callable[[], M], fallback: Callable[[Any, Exception], Any] | None, called: str
) -> Callable[[], M]:
    """``make``, with ``fallback`` for the elements whose calls fail for good."""
    if fallback is None:
        return make
    plain_function(fallback, f"{called}: fallback")
    if not _takes_two(fallback):
        raise wrong_kind(
            f"{called}: fallback must take two arguments, (element, error), got {repr_of(fallback)}"
        )
    return partial(_falling_back, make, fallback)


def _takes_two(f: Callable[..., Any]) -> bool:
    """Whether ``f`` can be called with two arguments; also if it does not say what it takes."""
    try:
        parameters = signature(f, follow_wrapped=False)  # a wrapper may take others
    except Exception:
        return True
    try:
        parameters.bind(None, None)
    except TypeError:
        return False
    return True


def _falling_back(make: Callable[[], M], fallback: Callable[[Any, Exception], Any]) -> M:
    logic = make()
    logic.fallback = Fallback(fallback)
    return logic
