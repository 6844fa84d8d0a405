"""What is done about failures within a stream: methods of ``Flow``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Never, TypeAlias, TypeVar

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

__all__ = ["MOST_ABANDONED", "Recovery", "RetryOn", "limited_calls", "worth_retrying"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
R = TypeVar("R")
RetryOn: TypeAlias = type[BaseException] | tuple[type[BaseException], ...]

MOST_ABANDONED = 16
"""Calls beyond their time that may still be under way, unless the user says otherwise."""


class Recovery(Chain[In_contra, Out_co]):
    """Operators for errors. The error they speak of is what arrives from upstream.

    That is a ``StageError`` whose ``__cause__`` is what a stage raised, or the error of
    ``Source.failed`` or a foreign publisher as it is.
    """

    _out: OutletRef

    def recover(self, f: Callable[[Exception], R]) -> Flow[In_contra, Out_co | R]:
        """``f(error)`` as a last element in place of a failure; ``f`` may raise the error again."""
        function(f, "recover: f")
        return self.then("recover", partial(Recover, f), forgiving=True)

    def recover_with(
        self,
        stream: Flow[Never, R] | Callable[[Exception], Flow[Never, R]],
        attempts: int = 1,
    ) -> Flow[In_contra, Out_co | R]:
        """``stream`` in place of a failure, or what ``stream(error)`` returns.

        If that fails too it is started again, ``attempts`` times in all: so
        ``source.recover_with(source, 3)`` begins a source anew up to three times. The function
        may raise the error again: then it is not recovered from.
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
        """Fail with ``f(error)`` where upstream fails with ``error``, which becomes its cause."""
        plain_function(f, "map_error: f")
        return self.then("map_error", partial(MapError, f))

    def retry(
        self,
        backoff: Backoff | None = None,
        max_attempts: int = 3,
        budget: RateLimit | None = None,
        when: Callable[[Exception], Any] | None = None,
    ) -> Flow[In_contra, Out_co]:
        """Let the ``map_async`` before this call its function again for an element it failed for.

        Each element has ``max_attempts`` calls, the first one among them, and the wait that
        ``backoff`` gives in between; neither a thread nor a place among the ``parallelism`` calls
        is held meanwhile. ``budget`` bounds the further calls for all elements together, and for
        all streams that share it: beyond it an element fails at once. Give the limit a ``burst``,
        its n say: by default it lets hardly more than one call pass at a moment. ``when(error)``
        says which errors are worth another call, by default every ``Exception``. What fails in the
        end fails as it would without this, ``on_failure`` included.
        """
        backoff = Backoff() if backoff is None else backoff
        if not isinstance(backoff, Backoff):
            raise wrong_kind(f"retry: backoff must be a Backoff, got {repr_of(backoff)}")
        at_least(1, max_attempts, "retry: max_attempts")
        if budget is not None and not isinstance(budget, RateLimit):
            raise wrong_kind(f"retry: budget must be a RateLimit, got {repr_of(budget)}")
        optional_plain_function(when, "retry: when")
        spec = self._out.spec
        if spec.kind != "map_async":
            raise cannot_run(f"retry changes the map_async before it, got a '{spec.kind}'")

        make = partial(_retrying, spec.make, backoff, max_attempts, budget, when)
        return self._changed("retry", make=make, attempts=max_attempts)

    def _changed(self, how: str, **changes: Any) -> Flow[In_contra, Out_co]:
        raise NotImplementedError


def _retrying(
    make: Callable[[], Any],
    backoff: Backoff,
    max_attempts: int,
    budget: RateLimit | None,
    when: Callable[[Exception], Any] | None,
) -> MapAsync:
    logic = make()
    assert isinstance(logic, MapAsync)
    logic.retries = Retries(partial(_wait, backoff, logic), max_attempts, budget, when)
    return logic


def _wait(backoff: Backoff, logic: MapAsync, attempts: int) -> float:
    """Seconds behind call number ``attempts``; the dice are those of the stage's surroundings."""
    return backoff.drawn(attempts - 1, logic.context.chance)


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
    make: Callable[[], MapAsync], timeout: float | None, max_abandoned: int
) -> Callable[[], MapAsync]:
    """``make``, whose calls have ``timeout`` seconds each."""
    at_least(0, max_abandoned, "map_async: max_abandoned")
    if timeout is None:
        return make
    return partial(_limited, make, positive_seconds(timeout, "map_async: timeout"), max_abandoned)


def _limited(make: Callable[[], MapAsync], seconds: float, max_abandoned: int) -> MapAsync:
    logic = make()
    logic.limit = CallLimit(seconds, max_abandoned)
    return logic
