"""The sources of the language: static methods of ``Source``."""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, Never, TypeVar, TypeVarTuple, Unpack, get_args, overload

from actors_rs.engine.boundary.foreign_source import PublisherSource
from actors_rs.engine.run.emitter import Emitter
from actors_rs.engine.run.source_queue import QueueOverflow, SourceQueue
from actors_rs.graph.checks import (
    at_least,
    function,
    integer,
    one_of,
    plain_function,
    stream_function,
    wrong_kind,
)
from actors_rs.graph.spec import OutletRef, Traits, spec_of
from actors_rs.language.file_sources import FileSources
from actors_rs.language.initial import Always, begun, copies_of
from actors_rs.language.methods.chain import flow_of
from actors_rs.protocol.interfaces import Publisher, is_publisher
from actors_rs.stages.calls.async_elements import AsyncRest, is_async_only
from actors_rs.stages.functions import ASYNC_GENERATOR, GENERATOR, deferred_kind
from actors_rs.stages.iterators import Rest
from actors_rs.stages.sources.defer import Defer
from actors_rs.stages.sources.empty import Empty
from actors_rs.stages.sources.failed import Failed
from actors_rs.stages.sources.from_async_iterable import AsyncIterableSource
from actors_rs.stages.sources.from_callback import CallbackSource
from actors_rs.stages.sources.from_future import FutureSource
from actors_rs.stages.sources.from_iterable import IterableSource
from actors_rs.stages.sources.never import Never as NeverSource
from actors_rs.stages.sources.of import SequenceSource, is_sliced
from actors_rs.stages.sources.queue import QueueSource
from actors_rs.stages.sources.repeat import Repeat
from actors_rs.stages.sources.unfold import Unfold
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["SourceFactories"]

T = TypeVar("T")
S = TypeVar("S")
Ts = TypeVarTuple("Ts")


def source(
    kind: str, make: Callable[[], Any], outflow_window: int = 0, **traits: Unpack[Traits]
) -> Flow[Never, Any]:
    """A flow that begins with a new source stage."""
    return flow_of(OutletRef(spec_of(kind, make, outflow_window=outflow_window, **traits)))


class SourceFactories(FileSources):
    """Where streams come from. Each call gives a blueprint; nothing runs yet."""

    @staticmethod
    def of(*values: T) -> Flow[Never, T]:
        """The given ``values``.

        >>> Source.of("a", "b").run(Sink.list())
        ['a', 'b']
        """
        return source("of", partial(SequenceSource, values))

    @staticmethod
    def empty() -> Flow[Never, Never]:
        """No element; completes at once.

        >>> Source.empty().run(Sink.list())
        []
        """
        return source("empty", Empty)

    @staticmethod
    def never() -> Flow[Never, Never]:
        """No element and no end.

        >>> Source.never().take_within(0.01).run(Sink.list())
        []
        """
        return source("never", NeverSource)

    @staticmethod
    def failed(error: BaseException) -> Flow[Never, Never]:
        """No element; fails at once with ``error``, which is not wrapped.

        >>> Source.failed(OSError("gone")).recover(str).run(Sink.list())
        ['gone']
        """
        if not isinstance(error, BaseException):
            raise wrong_kind(f"Source.failed needs an exception, got {repr_of(error)}")
        return source("failed", partial(Failed, error))

    @staticmethod
    def from_iterable(
        iterable: Iterable[T]
        | AsyncIterable[T]
        | Callable[[], Iterable[T]]
        | Callable[[], AsyncIterable[T]],
        *,
        interrupt: Callable[[], object] | None = None,
    ) -> Flow[Never, T]:
        """The elements of ``iterable``, or of the iterable that it returns when called, on demand.

        Give a function if the graph, or a section of it, runs more than once over a generator, a
        ``map``, a file or any other iterator. An iterator that has ended fails the stream with a
        ``GraphError``, unless it has more elements by then.

        An async iterable, or an async generator function, is drawn in one coroutine on the system's
        event loop, as far as elements are demanded. When the run ends, or needs no further element,
        the pending ``__anext__`` is cancelled; ``aclose`` is awaited in any case, and the run ends
        after it. An async iterator that is bound to another event loop, such as the body of a
        request in a web server, hangs here: put its elements into a ``Source.queue`` with
        ``await run.queue().put_async(element)``.

        ``interrupt``: an iterator that may wait for long at an element, of a message consumer, a
        socket or a pipe, needs a function without arguments that makes it return, such as
        ``it.close``. It is called once in a run, on another thread, when the run is cancelled or
        drained, or no further element is needed. An exception of the iterator after that is its
        end. A failure of ``interrupt`` is a dead letter.

        >>> Source.from_iterable(["a", "b"]).run(Sink.list())
        ['a', 'b']
        >>> async def quotes():
        ...     yield 101
        ...     yield 99
        >>> Source.from_iterable(quotes).run(Sink.list())
        [101, 99]
        """
        if interrupt is not None:
            return _interruptible(
                iterable, plain_function(interrupt, "Source.from_iterable: interrupt")
            )
        if is_sliced(iterable):
            return source("from_iterable", partial(SequenceSource, iterable))
        make = _made_by(iterable)
        kind = IterableSource if _gives_no_async(iterable) else AsyncIterableSource
        return source("from_iterable", partial(kind, make))

    @staticmethod
    def range(start: int, count: int) -> Flow[Never, int]:
        """``count`` integers from ``start`` upwards.

        >>> Source.range(5, 3).run(Sink.list())
        [5, 6, 7]
        """
        integer(start, "Source.range: start")
        at_least(0, count, "Source.range: count")
        numbers = builtins.range(start, start + count)
        return source("range", partial(SequenceSource, numbers))

    @staticmethod
    def repeat(value: T, count: int | None = None) -> Flow[Never, T]:
        """``value`` ``count`` times, for ever by default.

        >>> Source.repeat("ping", 2).run(Sink.list())
        ['ping', 'ping']
        """
        if count is not None:
            at_least(0, count, "Source.repeat: count")
        return source("repeat", partial(Repeat, value, count))

    @staticmethod
    @overload
    def unfold(  # a checker may take (0, 1) for a tuple of literals; so two
        state: S,
        f: Callable[[S], tuple[T, S] | None],
        *,
        interrupt: Callable[[], object] | None = None,
    ) -> Flow[Never, T]: ...
    @staticmethod
    @overload
    def unfold(
        state: tuple[*Ts],
        f: Callable[[tuple[*Ts]], tuple[T, tuple[*Ts]] | None],
        *,
        interrupt: Callable[[], object] | None = None,
    ) -> Flow[Never, T]: ...
    @staticmethod
    def unfold(
        state: Any,
        f: Callable[[Any], tuple[T, Any] | None],
        *,
        interrupt: Callable[[], object] | None = None,
    ) -> Flow[Never, T]:
        """``f(state)`` gives an element and the next state, or ``None`` at the end.

        Each run begins with a deep copy of ``state``; raises ``TypeError`` if it cannot be copied.
        ``interrupt`` makes a call of ``f`` return that may wait, see ``from_iterable``.

        >>> Source.unfold(8, lambda n: (n, n // 2) if n else None).run(Sink.list())
        [8, 4, 2, 1]
        """
        function(f, "Source.unfold: f")
        if interrupt is not None:
            plain_function(interrupt, "Source.unfold: interrupt")
        make_state = copies_of(state, "Source.unfold", "Source.unfold_resource", "state")
        return source("unfold", partial(_unfolding, make_state, f, interrupt))

    @staticmethod
    def defer(*functions: Callable[[], T]) -> Flow[Never, T]:
        """The results of ``functions``, each called when its element is demanded, anew in each run.

        >>> Source.defer(lambda: "now").run(Sink.list())
        ['now']
        """
        for f in functions:
            function(f, "Source.defer: each argument")
        return source("defer", partial(Defer, functions))

    @staticmethod
    def from_future(
        future: Future[T] | Callable[[], Future[T]] | Callable[[], Coroutine[Any, Any, T]],
    ) -> Flow[Never, T]:
        """The result of ``future``; or of the future or coroutine that it returns when called.

        A function is called in each run, once an element is demanded; its future is cancelled if
        the run ends before. The future must be a ``concurrent.futures.Future``: a future of asyncio
        belongs to the thread of its loop. ``asyncio.run_coroutine_threadsafe`` runs a coroutine
        there and returns a future of this kind.

        >>> from concurrent.futures import ThreadPoolExecutor
        >>> with ThreadPoolExecutor() as pool:
        ...     Source.from_future(lambda: pool.submit(pow, 2, 10)).run(Sink.list())
        [1024]
        """
        if isinstance(future, Future):
            return source("from_future", partial(FutureSource, Always(future), own=False))
        if not callable(future):
            raise wrong_kind(
                "Source.from_future needs a concurrent.futures.Future, or a function that gives "
                f"one, got {repr_of(future)}"
            )
        return source("from_future", partial(FutureSource, future, own=True))

    @staticmethod
    def from_publisher(publisher: Publisher[T]) -> Flow[Never, T]:
        """The elements of a foreign ``publisher``, subscribed to anew in each run.

        Raises ``ArgumentTypeError`` for an object without the method of a Publisher.

        >>> with ActorSystem() as system:
        ...     publisher = system.publisher(Source.of("a"))
        ...     Source.from_publisher(publisher).run(Sink.list())
        ['a']
        """
        if not is_publisher(publisher):
            raise wrong_kind(f"Source.from_publisher needs a Publisher, got {repr_of(publisher)}")
        return source("from_publisher", partial(PublisherSource, publisher))

    @staticmethod
    def queue(capacity: int, overflow: QueueOverflow = "backpressure") -> Flow[Never, Any]:
        """Elements that any thread hands in, through the run's ``SourceQueue``.

        ``system.start(graph).queue()`` gives the queue, for each run its own. It takes as many
        elements as downstream has requested, and ``capacity`` more, which wait for demand. A stage
        requests a window ahead, up to 4,096 elements unless ``with_attributes(window=)`` of the
        source or of that stage sets another number. ``overflow`` decides about further elements:

        - ``"backpressure"`` (default): ``put`` waits and ``offer`` returns false.
        - ``"drop_oldest"``, ``"drop_newest"`` (the one that came), ``"drop_all"`` (that wait):
          elements are dropped and counted.
        - ``"fail"``: the stream fails after the waiting elements.

        >>> with ActorSystem() as system:
        ...     run = system.start(Source.queue(16).to(Sink.list()))
        ...     run.queue().put("order 1")
        ...     run.queue().complete()
        ...     run.result()
        ['order 1']
        """
        at_least(1, capacity, "Source.queue: capacity")
        one_of(get_args(QueueOverflow), overflow, "Source.queue: overflow")
        make = partial(begun, QueueSource, partial(SourceQueue, capacity, overflow))
        return source("queue", make, holds=capacity)

    @staticmethod
    def from_callback(
        register: Callable[[Emitter[T]], Callable[[], object] | None],
        buffer: int = 1024,
        overflow: QueueOverflow = "fail",
    ) -> Flow[Never, T]:
        """The elements of a callback API: ``register(emit)`` makes it call ``emit(element)``.

        ``register`` is called at the start of each run, and returns ``None`` or a function that
        ends the registration: it is called once, at any end of the stream. ``emit`` may be called
        on any thread, also within ``register``; ``emit.complete()`` and ``emit.fail(error)`` end
        the stream after the emitted elements. ``emit(element)`` is false if ``element`` was not
        taken.

        Up to ``buffer`` elements (1,024) wait for demand. ``overflow`` decides about more, see
        ``Source.queue``: by default the stream fails with ``BufferOverflowError``. Each drop is
        counted (``dropped`` in the snapshot). ``"backpressure"`` lets ``emit`` wait.

        >>> listeners = []
        >>> def register(emit):
        ...     listeners.append(emit)
        ...     emit(20.5)
        ...     emit.complete()
        ...     return lambda: listeners.remove(emit)
        >>> Source.from_callback(register, buffer=100, overflow="drop_oldest").run(Sink.list())
        [20.5]
        """
        plain_function(register, "Source.from_callback: register")
        at_least(1, buffer, "Source.from_callback: buffer")
        one_of(get_args(QueueOverflow), overflow, "Source.from_callback: overflow")
        return source(
            "from_callback", partial(_called_back, register, buffer, overflow), holds=buffer
        )


def _called_back(register: Callable[[Emitter[Any]], Any], buffer: int, overflow: Any) -> Any:
    queue = SourceQueue[Any](buffer, overflow, "from_callback")
    return CallbackSource(queue, partial(register, Emitter(queue)))


def _made_by(iterable: Any) -> Callable[[], Any]:
    """What gives the elements of one run."""
    if isinstance(iterable, Iterator):
        return Rest(iterable, "Source.from_iterable")
    if isinstance(iterable, Iterable):
        return Always(iterable)
    if is_async_only(iterable):
        is_one = isinstance(iterable, AsyncIterator)
        return AsyncRest(iterable) if is_one else Always(iterable)
    if not callable(iterable):
        raise wrong_kind(
            "Source.from_iterable needs an iterable, an async one, or a function that gives one, "
            f"got {repr_of(iterable)}"
        )
    return stream_function(iterable, "Source.from_iterable: iterable")


def _gives_no_async(iterable: Any) -> bool:
    """Whether it is known before a call that no event loop is needed."""
    return isinstance(iterable, Iterable) or deferred_kind(iterable) == GENERATOR


def _interruptible(iterable: Any, interrupt: Callable[[], object]) -> Flow[Never, Any]:
    make = _made_by(iterable)
    if is_async_only(iterable) or deferred_kind(iterable) == ASYNC_GENERATOR:
        raise wrong_kind(
            "Source.from_iterable: interrupt is for an iterator that blocks a thread; a pending "
            f"__anext__ is cancelled without one, got {repr_of(iterable)}"
        )
    return source("from_iterable", partial(_drawing, make, interrupt))


def _drawing(make: Callable[[], Iterable[Any]], interrupt: Callable[[], object]) -> Any:
    return IterableSource(make).interrupted_by(interrupt)


def _unfolding(make_state: Callable[[], Any], f: Any, interrupt: Any) -> Any:
    return Unfold(make_state(), f).interrupted_by(interrupt)
