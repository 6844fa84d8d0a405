# mypy: disable-error-code="arg-type, attr-defined, var-annotated"
"""Hubs against lists: whatever is asked of them, whoever leaves, and wherever their source fails.

In deterministic worlds, see ``listening``; on real threads they are in ``test_hub``,
``test_partition_hub`` and ``test_merge_hub``.
"""

from contextlib import suppress
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Source
from actors_rs.errors import IllegalStateError, SlowSubscriberError, StageError
from tests.graph.listening import (
    Patience,
    leaving,
    listeners,
    many,
    patience,
    seeds,
    staying,
    world_of,
)
from tests.graph.models import Upstream, windows

sizes = st.integers(0, 20)
failures = st.none() | st.integers(0, 20)
ASKS_FOR_ALL = Patience((100,), inside=True, slow=False, leaves_behind=None)


def upstream_of(size, fails_behind):
    """0, 1, 2 ... and perhaps a failure."""
    if fails_behind is None:
        return Upstream(range(size))
    return Upstream(range(min(size, fails_behind)), KeyError("the source fails"))


def check_end(listener, upstream):
    """It has heard of the end that the source came to."""
    if upstream.error is None:
        assert listener.end == "complete", listener.end
    else:
        assert isinstance(listener.end, StageError), listener.end
        assert listener.end.__cause__ is upstream.error


hubs = given(
    size=sizes,
    fails_behind=failures,
    patiences=st.lists(patience, min_size=1, max_size=3),
    replay=st.integers(0, 5),
    window=windows,
    seed=seeds,
)


@many
@hubs
def test_a_hub_gives_all_to_all_who_stay_and_a_beginning_to_those_who_leave(
    size, fails_behind, patiences, replay, window, seed
):
    upstream = upstream_of(size, fails_behind)
    with world_of(seed, window) as world:
        source = upstream.source()
        for which in (1, 2):  # two hubs of one blueprint are two runs
            hub = source.hub(world.system, replay=replay)
            heard = listeners(world, hub, patiences)
            world.finish()
            assert upstream.begun == upstream.released == which
            for one in heard:
                if one.stayed:
                    assert one.elements == list(upstream.xs)
                    check_end(one, upstream)
                else:
                    assert one.elements == list(range(one.patience.leaves_behind))


@many
@given(size=sizes, fails_behind=failures, early=patience, replay=st.integers(0, 5), seed=seeds)
def test_who_comes_late_hears_what_a_hub_holds_and_how_it_ended(
    size, fails_behind, early, replay, seed
):
    upstream = upstream_of(size, fails_behind)
    with world_of(seed, 4) as world:
        hub = upstream.source().hub(world.system, replay=replay)
        (first,) = listeners(world, hub, [early])
        world.finish()
        (late,) = listeners(world, hub, [ASKS_FOR_ALL])
        world.finish()
        if first.stayed or not isinstance(late.end, IllegalStateError):
            xs = list(upstream.xs)  # whoever left did so when the source had ended already
            assert late.elements == xs[max(0, len(xs) - replay) :]
            check_end(late, upstream)
        else:
            assert late.elements == []


@many
@hubs
def test_a_hub_that_drops_gives_the_newest_in_order_and_counts_what_somebody_missed(
    size, fails_behind, patiences, replay, window, seed
):
    upstream = upstream_of(size, fails_behind)
    with world_of(seed, window) as world:
        hub = upstream.source().hub(world.system, replay=replay, on_slow="drop")
        heard = listeners(world, hub, patiences)
        world.finish()
        dropped = hub.run.snapshot().stages[-1].details["dropped"]
        assert (
            sum(max(one.elements, default=-1) + 1 - len(one.elements) for one in heard) <= dropped
        )
        for one in heard:
            assert one.elements == sorted(set(one.elements) & set(upstream.xs))
            if one.stayed:
                check_end(one, upstream)
                newest = list(upstream.xs)[-replay:] if replay else []
                assert one.elements[len(one.elements) - len(newest) :] == newest
        assert upstream.begun == upstream.released


@many
@hubs
def test_a_hub_that_fails_the_slow_gives_all_to_the_others(
    size, fails_behind, patiences, replay, window, seed
):
    upstream = upstream_of(size, fails_behind)
    with world_of(seed, window) as world:
        hub = upstream.source().hub(world.system, replay=replay, on_slow="fail")
        heard = listeners(world, hub, patiences)
        world.finish()
        for one in heard:
            assert one.elements == list(range(len(one.elements)))
            if one.stayed and not isinstance(one.end, SlowSubscriberError):
                assert one.elements == list(upstream.xs)
                check_end(one, upstream)
        assert upstream.begun == upstream.released


class ByNumber:
    """Chooses a subscriber, and keeps for which elements it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, x, count):
        self.asked.append(x)
        return x % count


@many
@given(
    size=sizes,
    fails_behind=failures,
    patiences=st.lists(staying, min_size=1, max_size=3),
    window=windows,
    seed=seeds,
)
def test_a_partition_hub_gives_each_its_own_before_it_fails_and_each_time_it_is_made(
    size, fails_behind, patiences, window, seed
):
    upstream = upstream_of(size, fails_behind)
    with world_of(seed, window) as world:
        source = upstream.source()
        for which in (1, 2):
            choose = ByNumber()
            hub = source.partition_hub(world.system, choose)
            heard = listeners(world, hub, patiences)
            world.finish()
            assert choose.asked == list(upstream.xs), "once for each, however long it waits"
            for own, one in enumerate(heard):
                assert one.elements == [x for x in upstream.xs if x % len(heard) == own]
                check_end(one, upstream)
            assert upstream.begun == upstream.released == which


@many
@given(
    size=sizes,
    fails_behind=failures,
    goers=st.lists(leaving, min_size=1, max_size=3),
    stayers=st.lists(staying, max_size=2),
    window=windows,
    seed=seeds,
)
def test_a_partition_hub_somebody_leaves_gives_what_was_his_to_the_others(
    size, fails_behind, goers, stayers, window, seed
):
    upstream = upstream_of(size, fails_behind)
    with world_of(seed, window) as world:
        hub = upstream.source().partition_hub(world.system, ByNumber())
        heard = listeners(world, hub, [*goers, *stayers])
        world.finish()
        given_to_all = sorted(chain(*(one.elements for one in heard)))
        assert all(one.elements == sorted(one.elements) for one in heard)
        if any(one.stayed for one in heard):
            assert given_to_all == list(upstream.xs)
        else:
            assert given_to_all == list(range(len(given_to_all)))
        for one in heard:
            if one.stayed:
                check_end(one, upstream)
        assert upstream.begun == upstream.released


@st.composite
def attached(draw):
    """Streams for a merge hub, each of elements of its own; one of them may fail."""
    lengths = draw(st.lists(sizes, min_size=1, max_size=4))
    streams = [Upstream([(n, x) for x in range(length)]) for n, length in enumerate(lengths)]
    failing = draw(st.none() | st.integers(0, len(lengths) - 1))
    if failing is not None:
        streams[failing].error = KeyError("a stream fails")
    return streams


def fed(hub, streams, early):
    """Attach ``streams``, of which ``early`` are there before anything happens; then close."""
    for stream in streams[:early]:
        hub.attach(stream.source())

    def come():
        with suppress(IllegalStateError):  # the subscriber has left, or a stream has failed
            for stream in streams[early:]:
                hub.attach(stream.source().map(lambda pair: pair))
        hub.close()

    return come


def check_parts(listener, streams):
    """Each stream is given in its order; whether all of it, says the return value for each."""
    parts = [[one for one in listener.elements if one[0] == n] for n, _ in enumerate(streams)]
    for part, stream in zip(parts, streams, strict=True):
        assert part == stream.xs[: len(part)]
    return [part == stream.xs for part, stream in zip(parts, streams, strict=True)]


feeding = given(
    streams=attached(),
    early=st.integers(0, 4),
    patience=patience,
    window=windows,
    seed=seeds,
)


@many
@feeding
def test_a_merge_hub_gives_all_of_each_stream_and_reports_the_one_that_fails(
    streams, early, patience, window, seed
):
    hub = Source.merge_hub()
    with world_of(seed, window) as world:
        (listener,) = listeners(world, world.system.publisher(hub.source), [patience])
        world.soon("come", fed(hub, streams, early))
        world.finish()
        whole = check_parts(listener, streams)
        if listener.stayed:
            assert listener.end == "complete"
            assert all(whole)
            failed = [letter.error.__cause__ for letter in world.system.dead_letters.recent()]
            assert failed == [stream.error for stream in streams if stream.error is not None]
    assert all(stream.begun == stream.released for stream in streams)


@many
@feeding
def test_a_merge_hub_that_fails_with_its_streams_gives_what_came_of_that_one(
    streams, early, patience, window, seed
):
    hub = Source.merge_hub(on_failure="fail")
    with world_of(seed, window) as world:
        (listener,) = listeners(world, world.system.publisher(hub.source), [patience])
        world.soon("come", fed(hub, streams, early))
        world.finish()
        whole = check_parts(listener, streams)
        failing = [n for n, stream in enumerate(streams) if stream.error is not None]
        if listener.stayed and failing:
            assert listener.end.__cause__ is streams[failing[0]].error
            assert whole[failing[0]]
        elif listener.stayed:
            assert listener.end == "complete"
            assert all(whole)
    assert all(stream.begun == stream.released for stream in streams)


@many
@given(streams=attached(), patience=staying, behind=st.integers(0, 9), window=windows, seed=seeds)
def test_a_stream_taken_off_a_merge_hub_anywhere_leaves_the_others_whole(
    streams, patience, behind, window, seed
):
    hub = Source.merge_hub()
    with world_of(seed, window) as world:
        going, *_ = [hub.attach(stream.source()) for stream in streams]
        (listener,) = listeners(world, world.system.publisher(hub.source), [patience])
        for _ in range(behind):
            world.step(0)
        going.cancel()
        hub.close()
        world.finish()
        assert listener.end == "complete"
        assert all(check_parts(listener, streams)[1:])
    assert all(stream.begun == stream.released for stream in streams)
