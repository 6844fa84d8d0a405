"""Streams of streams: methods of ``Flow``, so of ``Source`` too; ``concat`` and ``amb``."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterable, Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Never, TypeAlias, TypeVar, get_args

from actors_rs.graph.blueprint import check_source, in_order
from actors_rs.graph.checks import (
    at_least,
    one_of,
    plain_function,
    positive_seconds,
    stream_function,
    wrong_kind,
)
from actors_rs.graph.spec import OPEN, PLAIN, OutletRef, StageSpec, spec_of
from actors_rs.language.methods.chain import Chain, flow_of
from actors_rs.stages.inner.groups import Closed, OnOverflow
from actors_rs.stages.junctions.amb import Amb
from actors_rs.stages.junctions.concat import Concat
from actors_rs.stages.operators.catch import Catch
from actors_rs.stages.operators.flat_map import FlatMap
from actors_rs.stages.operators.flat_map_merge import FlatMapMerge
from actors_rs.stages.operators.group_by import GroupBy
from actors_rs.stages.operators.switch_map import SwitchMap
from actors_rs.stages.stage import Stream
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow
    from actors_rs.language.groups import Group

__all__ = ["Substreams", "amb", "concat"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
K = TypeVar("K")
R = TypeVar("R")
T = TypeVar("T")

GROUPS_A_WINDOW = 64
"""For that many groups ``group_by`` keeps a window of elements requested."""
LARGEST_FACTOR = 16

Inner: TypeAlias = "Flow[Never, R] | Iterable[R] | AsyncIterable[R]"
"""The values that a function may return where a stream is wanted."""


def _check_breadth_for_groups(spec: StageSpec, breadth: int) -> None:
    """Warn if ``spec`` is a ``group_by`` with more groups than a ``flat_map`` after it runs."""
    make: Any = spec.make
    if type(make) is not partial or make.func is not GroupBy:
        return
    _, most, *_ = make.args
    if breadth < most:
        warnings.warn(
            f"flat_map(breadth={breadth}) after group_by(max_groups={most}) ({spec.site}): with "
            f"more than {breadth} keys at a time the groups that do not run block all others; "
            "give both the same number",
            stacklevel=3,
        )


class Substreams(Chain[In_contra, Out_co]):
    """Streams that begin while another one runs.

    An inner stream belongs to the run: it ends with it, drains with it, and its failure is the
    run's. Its stages are named ``range#7`` in errors, and summed up by kind in figures once they
    have ended. One that begins while the run drains gives nothing from outside any more.
    """

    __slots__ = ()
    _out: OutletRef

    def flat_map(
        self, f: Callable[[Out_co], Inner[R]], breadth: int | None = None
    ) -> Flow[In_contra, R]:
        """The elements of each iterable or stream that ``f`` returns, one after the other.

        An async iterable, as an async generator function returns it, is drawn on the system's event
        loop.

        With ``breadth``, up to that many run at a time and are merged as their elements come.
        Directly after ``group_by`` a ``breadth`` below its ``max_groups`` is a ``UserWarning``:
        groups that are not run block all others.

        >>> Source.of("a b", "c").flat_map(str.split).run(Sink.list())
        ['a', 'b', 'c']
        """
        stream_function(f, "flat_map: f")
        _check_breadth_for_groups(self._out.spec, breadth or 1)
        if breadth is None or at_least(1, breadth, "flat_map: breadth") == 1:
            return self.then("flat_map", partial(FlatMap, f), 0, inner=1)
        return self.then("flat_map", partial(FlatMapMerge, f, breadth), 0, inner=breadth)

    def concat_map(self, f: Callable[[Out_co], Inner[R]]) -> Flow[In_contra, R]:
        """The elements of each stream or iterable that ``f`` returns, one after the other.

        >>> Source.of(1, 2).concat_map(lambda n: Source.repeat(n, 2)).run(Sink.list())
        [1, 1, 2, 2]
        """
        stream_function(f, "concat_map: f")
        return self.then("concat_map", partial(FlatMap, f, "concat_map"), 0, inner=1)

    def switch_map(self, f: Callable[[Out_co], Inner[R]]) -> Flow[In_contra, R]:
        """The elements of the stream that ``f`` returns for the newest element.

        The stream of the previous element is cancelled. Upstream never waits.

        >>> Source.of("ac", "actors").switch_map(lambda text: Source.of(text)).run(Sink.last())
        'actors'
        """
        stream_function(f, "switch_map: f")
        return self.then("switch_map", partial(SwitchMap, f), 0, inner=1, holds=1)

    def catch(self, f: Callable[[Exception], Inner[R]]) -> Flow[In_contra, Out_co | R]:
        """This stream, and where it fails the stream that ``f(error)`` returns in its place.

        ``error`` comes from upstream: a ``StageError`` whose ``__cause__`` is the exception that a
        stage raised, or the error of ``Source.failed``. ``f`` is called once at most.

        >>> Source.of("3", "x").map(int).catch(lambda error: Source.of(-1)).run(Sink.list())
        [3, -1]
        """
        stream_function(f, "catch: f")
        return self.then("catch", partial(Catch, f), forgiving=True, inner=1)

    def group_by(
        self,
        key: Callable[[Out_co], K],
        max_groups: int,
        on_overflow: OnOverflow = "backpressure",
        idle_timeout: float | None = None,
        *,
        stall_after: float | None = 0.5,
        closed: Closed = "reopen",
    ) -> Flow[In_contra, Group[K, Out_co]]:
        """A stream for each ``key(element)``, with the elements of that key in their order.

        Each is a ``Group``: a source with a ``key``, which must be run once and soon. Run all of
        them at a time: give ``flat_map`` the same number as ``breadth``.

        ``on_overflow`` decides about a new key beyond ``max_groups``:

        - ``"backpressure"`` (default): it waits until a group ends.
        - ``"evict_idle"``: the group that was idle longest ends.
        - ``"fail"``: the stage fails with ``TooManyGroupsError``.
        - ``"divert"``: it goes to one extra group, whose ``is_overflow`` is true; there are
          ``max_groups + 1`` groups then.

        A group ends with the stream. It also ends after ``idle_timeout`` seconds in which none of
        its elements came or went (``None``, the default, is never), and when its receiver cancels
        it, as ``group.take(3)`` does. ``closed`` decides about elements whose key has no group any
        more: ``"reopen"`` (default) opens a new group. ``"drop"`` drops them if their receiver
        cancelled; ``dropped`` in the snapshot counts them. Elements that a receiver had requested
        and did not take are ``unwanted`` there; see the guide.

        A group without any reference is cancelled at once, and its elements are counted as dropped.
        If the run stands still for ``stall_after`` seconds (0.5), and a group that was given is not
        run, or no group ends to make room, the stage fails with ``Stalled``. The error names the
        groups. ``None`` waits for ever, for groups that are kept to be run later.

        >>> words = Source.of("ant", "bee", "asp").group_by(lambda word: word[0], max_groups=26)
        >>> sizes = words.flat_map(lambda group: group.count(), breadth=26)
        >>> sorted(sizes.run(Sink.list()))
        [1, 2]
        """
        plain_function(key, "group_by: key")
        at_least(1, max_groups, "group_by: max_groups")
        one_of(get_args(OnOverflow), on_overflow, "group_by: on_overflow")
        one_of(get_args(Closed), closed, "group_by: closed")
        idle = some_seconds(idle_timeout, "group_by: idle_timeout")
        stall = some_seconds(stall_after, "group_by: stall_after")
        wrap, drops = self._group, closed == "drop"
        make = partial(GroupBy, key, max_groups, on_overflow, wrap, idle, stall, drops)
        flow = self.then("group_by", make, 0)
        # A frame for each group costs the same whether it holds one element or fifty.
        factor = min(LARGEST_FACTOR, max(1, max_groups // GROUPS_A_WINDOW))
        return flow._changed("group_by", window_factor=factor)

    def append(self, *streams: Flow[Never, R]) -> Flow[In_contra, Out_co | R]:
        """This stream, then ``streams``; each is started when the one before has completed.

        >>> Source.of("a").append(Source.of("b"), Source.of("c")).run(Sink.list())
        ['a', 'b', 'c']
        """
        return self._followed("append", streams)

    def concat(self, *streams: Flow[Never, R]) -> Flow[In_contra, Out_co | R]:
        """``append``, under the name that it has as a function of several ``streams``.

        >>> Source.of("a").concat(Source.of("b")).run(Sink.list())
        ['a', 'b']
        """
        return self._followed("concat", streams)

    def prepend(self, *streams: Flow[Never, R]) -> Flow[In_contra, Out_co | R]:
        """The other ``streams`` one after the other, then this one, which is not asked before.

        >>> Source.of("b").prepend(Source.of("a")).run(Sink.list())
        ['a', 'b']
        """
        closed = [source_in(stream, "prepend") for stream in streams]
        behind, behind_that = self._in_a_row("prepend")
        return behind.then("prepend", partial(Concat, [*closed, *behind_that]))

    def _followed(self, kind: str, streams: Sequence[Any]) -> Flow[In_contra, Any]:
        closed = [source_in(stream, kind) for stream in streams]
        before, before_that = self._in_a_row(kind)
        return before.then(kind, partial(Concat, [*before_that, *closed]))

    def _in_a_row(self, kind: str) -> tuple[Flow[In_contra, Any], Sequence[Any]]:
        """The flow before a stage of ``kind``, and the streams that the stage has already.

        Several in a row are one stage. Otherwise the elements of one stream would pass as many
        stages as there are streams.
        """
        spec = self._out.spec
        if not spec.inputs or (streams := _streams_of(spec, kind)) is None:
            return self, [None]  # type: ignore[return-value]
        return flow_of(spec.inputs[0]), streams

    def if_empty(self, stream: Flow[Never, R]) -> Flow[In_contra, Out_co | R]:
        """This stream, or ``stream`` if this completes without an element.

        >>> Source.empty().if_empty(Source.of("default")).run(Sink.list())
        ['default']
        """
        source = source_in(stream, "if_empty")
        return self.then("if_empty", partial(Concat, [None, source], only_if_empty=True))

    def amb(self, *others: Flow[Never, R]) -> Flow[In_contra, Out_co | R]:
        """The first stream of this and ``others`` that gives an element or ends; it cancels others.

        If this stream may fail after its cancellation as well, use ``amb(this, *others)``.

        >>> Source.never().amb(Source.of("fast")).run(Sink.list())
        ['fast']
        """
        closed = [source_in(stream, "amb") for stream in others]
        return self.then("amb", partial(Amb, [None, *closed]), forgiving=True)


def some_seconds(seconds: float | None, what: str) -> float | None:
    """``seconds``, which must be above 0 if they are given."""
    return None if seconds is None else positive_seconds(seconds, what)


def concat(*streams: Flow[Never, T]) -> Flow[Never, T]:
    """``streams`` one after the other; each is started when the one before has completed.

    >>> from actors_rs import concat
    >>> concat(Source.of("a"), Source.of("b")).run(Sink.list())
    ['a', 'b']
    """
    closed: list[Flow[Never, T]] = []
    for stream in streams:
        spec = source_in(stream, "concat")._out.spec
        within = None if spec.inputs else _streams_of(spec, "concat")
        closed += [stream] if within is None else within  # else elements pass a stage for each
    return _source("concat", partial(Concat, closed))


def amb(*streams: Flow[Never, T]) -> Flow[Never, T]:
    """The first of ``streams`` that gives an element or ends; the others are cancelled.

    Without streams it never ends.

    >>> from actors_rs import amb
    >>> amb(Source.never(), Source.of("fast")).run(Sink.list())
    ['fast']
    """
    closed = [source_in(stream, "amb") for stream in streams]
    return _source("amb", partial(Amb, closed))


def _streams_of(spec: StageSpec, kind: str) -> Sequence[Any] | None:
    """The streams of ``spec`` one after the other, if it is of ``kind`` and nothing else."""
    plain = spec.name is None and spec.attributes is PLAIN and not spec.boundary
    if spec.kind != kind or not plain or type(spec.make) is not partial:
        return None
    return spec.make.args[0]  # type: ignore[no-any-return]


def source_in(stream: Any, where: str) -> Flow[Never, Any]:
    """``stream`` if it is a closed source; raises ``TypeError`` or ``GraphError``."""
    if not isinstance(stream, Stream):
        raise wrong_kind(f"{where} needs Sources, got {repr_of(stream)}")
    out: OutletRef = stream._out  # type: ignore[attr-defined]
    check_source([] if out is OPEN else in_order([out.spec]), out, where)
    return stream  # type: ignore[return-value]


def _source(kind: str, make: Callable[[], Any]) -> Flow[Never, Any]:
    return flow_of(OutletRef(spec_of(kind, make, outflow_window=0)))
