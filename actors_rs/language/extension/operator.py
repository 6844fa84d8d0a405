"""``@operator``: an operator of the user's own, written as a generator function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from actors_rs.engine.aside import Aside
from actors_rs.graph.checks import function
from actors_rs.graph.spec import OPEN, OutletRef, spec_of
from actors_rs.language.flow import Flow
from actors_rs.stages.operators.generated import Generated

__all__ = ["operator"]

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")


def operator(f: Callable[Concatenate[Iterator[T], P], Iterable[R]]) -> Callable[P, Flow[T, R]]:
    """Make an operator of ``f``, a generator function over the elements.

    ``f`` takes an iterator of the elements, and arguments of its own. A call with those arguments
    is a ``Flow``, which follows a source with ``via``.

    >>> from actors_rs import operator
    >>> @operator
    ... def without_repeats(readings, least):
    ...     last = None
    ...     for reading in readings:
    ...         if last is None or abs(reading - last) >= least:
    ...             last = reading
    ...             yield reading
    >>> Source.of(20.5, 20.6, 21.4).via(without_repeats(0.5)).run(Sink.list())
    [20.5, 21.4]

    Each run begins a generator, whose variables are its state. ``next`` on the iterator waits for
    an element. It raises ``StopIteration`` when upstream has completed. When upstream has failed,
    it raises that error, and the stage fails with it in any case. The generator goes on only while
    downstream asks for elements. When it returns, the stream completes and upstream is cancelled;
    when downstream cancels or the run ends, it is closed (``GeneratorExit``).

    A generator that has raised is finished. With ``on_failure("resume")`` or ``"restart"`` the
    element it had taken last is passed over, and a fresh generator goes on with the next one.

    All of its code runs on one thread, while a turn of the stage waits for it. Raises
    ``ArgumentTypeError`` if ``f`` is no function, or a coroutine or async generator function.
    """
    function(f, "operator: f")

    @wraps(f)
    def with_arguments(*args: P.args, **kwargs: P.kwargs) -> Flow[T, R]:
        make = partial(Generated, _Generators(with_arguments, args, kwargs), _name_of(f), Aside)
        return Flow(OutletRef(spec_of("operator", make, OPEN, name=_name_of(f))))

    return with_arguments


@dataclass(frozen=True, slots=True)
class _Generators:
    """Makes generators; pickled by the name of the decorated function."""

    decorated: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __call__(self, elements: Iterator[Any]) -> Iterable[Any]:
        f: Callable[..., Iterable[Any]] = self.decorated.__wrapped__  # type: ignore[attr-defined]
        return f(elements, *self.args, **self.kwargs)


def _name_of(f: Any) -> str:
    name: str = getattr(f, "__name__", "operator")
    return "operator" if name == "<lambda>" else name
