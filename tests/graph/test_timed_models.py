# mypy: disable-error-code="arg-type, var-annotated"
"""Operators of time against models of their time: what comes when it comes, in virtual time.

Elements arrive at whole seconds; the operators' times are none, so that no two things are due
together. A model gets the arrivals, as elements with their seconds, and the second of the end; it
returns what is given, with the second of each, and whether the time was up.
"""

from math import floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors_rs import Sink, Source
from actors_rs.errors import StageError, StreamTimeoutError
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.world import World
from tests.explored.by_hand import ByHand
from tests.graph.listening import listeners, staying
from tests.graph.models import windows

ENDS, FAILS, TIME_IS_UP = "ends", "fails", "the time is up"
NEAR = 2e-3  # seconds: a bucket that fills up does so in fractions

gaps = st.lists(st.sampled_from([0, 0, 1, 2, 3, 5]), max_size=10)
tails = st.sampled_from([0, 1, 4, 9])
times = st.sampled_from([0.37, 1.37, 2.37, 4.37])
counts = st.integers(1, 5)


def arrivals(gaps):
    seconds, came = 0, []
    for number, gap in enumerate(gaps):
        seconds += gap
        came.append((number, seconds))
    return came


def source_of(gaps, tail, end):
    """0, 1, 2 ... each so many seconds behind the one before it, and an end behind a ``tail``."""
    source = Source.of(*enumerate(gaps)).flat_map(
        lambda pair: Source.timer(pair[1]).map(lambda _: pair[0]) if pair[1] else [pair[0]]
    )
    if tail:
        source = source.append(Source.timer(tail).filter(lambda _: False))
    return source.append(Source.failed(KeyError("gone"))) if end == FAILS else source


class Punctual(RandomWalk):
    """Any order of what happens at the same moment, but no moment is passed over."""

    def choose(self, what, options, /):
        return options[0] if what == "time:jump" else super().choose(what, options)


def played(flow, window, seed):
    """What ``flow`` gives, with the second of each, and how it ends."""
    seen = []
    with World(Punctual(seed)) as world:
        sink = Sink.for_each(lambda x: seen.append((x, world.now)))
        run = world.start(flow.to(sink.with_attributes(window=window)))
        try:
            run.result()
        except StreamTimeoutError:
            return seen, TIME_IS_UP
        except (StageError, KeyError):
            return seen, FAILS
    return seen, ENDS


# The models


def delayed(came, end, seconds):
    return [(x, when + seconds) for x, when in came], False


def debounced(came, end, seconds):
    """What is followed by silence, and the last one at the latest when the stream ends."""
    nexts = [*(when for _, when in came[1:]), None]
    given = []
    for (x, when), following in zip(came, nexts, strict=False):
        if following is None:
            given.append((x, min(when + seconds, end)))
        elif following > when + seconds:
            given.append((x, when + seconds))
    return given, False


def sampled(came, end, seconds):
    """The newest of each span of time at its end; that of the last one with the stream's end."""
    newest = {floor(when / seconds): x for x, when in came}
    return [(x, min((span + 1) * seconds, end)) for span, x in newest.items()], False


def kept_alive(came, end, seconds):
    given, last = [], 0.0
    for x, when in [*came, (None, end)]:
        while last + seconds < when:
            last += seconds
            given.append(("still here", last))
        if x is not None:
            given.append((x, when))
            last = when
    return given, False


def taken_within(came, end, seconds):
    return [(x, when) for x, when in came if when < seconds], end > seconds


def skipped_within(came, end, seconds):
    return [(x, when) for x, when in came if when > seconds], False


def idle(came, end, seconds):
    given, last = [], 0
    for x, when in [*came, (None, end)]:
        if when - last > seconds:
            return given, True
        given += [(x, when)] * (x is not None)
        last = when
    return given, False


def begun_late(came, end, seconds):
    first = came[0][1] if came else end
    return ([], True) if first > seconds else (came, False)


def batched(count):
    def model(came, end, seconds):
        given, batch, due = [], [], 0.0
        for x, when in came:
            if batch and due < when:
                given.append((batch, due))
                batch = []
            if not batch:
                due = when + seconds
            batch = [*batch, x]
            if len(batch) == count:
                given.append((batch, when))
                batch = []
        return [*given, (batch, min(due, end))] if batch else given, False

    return model


def throttled(n, per, burst):
    """A bucket that holds ``burst`` and gets ``n`` more in ``per`` seconds."""

    def model(came, end, _):
        level, now, given = burst, 0.0, []
        for x, when in came:
            level = min(burst, level + max(0.0, when - now) * n / per)
            now = max(now, when)
            wait = max(0.0, 1 - level) * per / n
            now, level = now + wait, max(level, 1) - 1
            given.append((x, now))
        return given, False

    return model


OPERATORS = {
    "debounce": (lambda s, seconds: s.debounce(seconds), debounced),
    "sample": (lambda s, seconds: s.sample(seconds), sampled),
    "keep_alive": (lambda s, seconds: s.keep_alive(seconds, "still here"), kept_alive),
    "take_within": (lambda s, seconds: s.take_within(seconds), taken_within),
    "skip_within": (lambda s, seconds: s.skip_within(seconds), skipped_within),
    "idle_timeout": (lambda s, seconds: s.idle_timeout(seconds), idle),
    "initial_timeout": (lambda s, seconds: s.initial_timeout(seconds), begun_late),
    "completion_timeout": (lambda s, seconds: s.completion_timeout(seconds), taken_within),
}
ROOM = 16
"""A window in which all that waits has room: where elements wait, a smaller one makes the source
wait too."""


def check(operator, model, timed, seconds, up=TIME_IS_UP):
    """``operator`` gives what ``model`` does, in time; ``up`` is how it ends when its time is."""
    gaps, tail, end, window, seed = timed
    came = arrivals(gaps)
    over = tail + (came[-1][1] if came else 0)
    flow = operator(source_of(gaps, tail, end), seconds).with_attributes(window=window)
    seen, ended = played(flow, window, seed)
    expected, is_up = model(came, over, seconds)
    assert [x for x, _ in seen] == [x for x, _ in expected]
    assert [when for _, when in seen] == pytest.approx([when for _, when in expected], abs=NEAR)
    assert ended == (up if is_up else end)


ends, seeds = st.sampled_from([ENDS, FAILS]), st.integers(0, 2**32)
timed = st.tuples(gaps, tails, ends, windows, seeds)
roomy = st.tuples(gaps, tails, ends, st.integers(ROOM, 1024), seeds)
moderate = settings(max_examples=100)


@pytest.mark.parametrize("kind", OPERATORS)
@moderate
@given(timed=timed, seconds=times)
def test_what_comes_comes_when_the_model_says(kind, timed, seconds):
    operator, model = OPERATORS[kind]
    check(operator, model, timed, seconds, ENDS if kind == "take_within" else TIME_IS_UP)


@moderate
@given(timed=roomy, seconds=times)
def test_delay_keeps_the_distances(timed, seconds):
    check(lambda s, seconds: s.delay(seconds), delayed, timed, seconds)


@moderate
@given(
    timed=roomy,
    n=st.integers(1, 3),
    per=st.sampled_from([0.9, 1.7, 3.1]),
    burst=st.sampled_from([1, 2, 5]),
    costly=st.booleans(),
)
def test_throttle_gives_each_element_as_soon_as_its_bucket_is_full_enough(
    timed, n, per, burst, costly
):
    cost = (lambda _: 1) if costly else None
    check(
        lambda s, _: s.throttle(n, per=per, burst=burst, cost=cost),
        throttled(n, per, burst),
        timed,
        None,
    )


@moderate
@given(timed=timed, seconds=times, count=counts, weighed=st.booleans())
def test_a_batch_is_given_when_it_is_full_or_its_time_is_up(timed, seconds, count, weighed):
    def operator(source, seconds):
        if weighed:
            return source.batch(weight=lambda _: 2, max_weight=2 * count, within=seconds)
        return source.batch(count, within=seconds)

    check(operator, batched(count), timed, seconds)


# What depends on who asks


def newest_last(came, got, _):
    return got == sorted(set(got)) and got[-1:] == [x for x, _ in came[-1:]]


def in_time(came, got, seconds):
    return got == [x for x, when in came if when < seconds]


def all_of_it(came, got, _):
    return [x for x in got if x != "still here"] == [x for x, _ in came]


def all_in_batches(came, got, _):
    return [x for batch in got for x in batch] == [x for x, _ in came]


MUST_BE_GIVEN = {
    "debounce": (lambda s, seconds: s.debounce(seconds), newest_last),
    "sample": (lambda s, seconds: s.sample(seconds), newest_last),
    "take_within": (lambda s, seconds: s.take_within(seconds), in_time),
    "delay": (lambda s, seconds: s.delay(seconds), all_of_it),
    "keep_alive": (lambda s, seconds: s.keep_alive(seconds, "still here"), all_of_it),
    "throttle": (lambda s, seconds: s.throttle(1, per=seconds), all_of_it),
    "batch": (lambda s, seconds: s.batch(3, within=seconds), all_in_batches),
    "batch of any size": (lambda s, seconds: s.batch(99, within=seconds), all_in_batches),
}


@pytest.mark.parametrize("kind", MUST_BE_GIVEN)
@moderate
@given(timed=roomy, seconds=times, patience=staying)
def test_however_late_somebody_asks_what_has_to_be_given_is_given_before_the_end(
    kind, timed, seconds, patience
):
    operator, holds = MUST_BE_GIVEN[kind]
    gaps, tail, end, window, seed = timed
    flow = operator(source_of(gaps, tail, end), seconds).with_attributes(window=window)
    with World(Punctual(seed), window=window) as world:
        (listener,) = listeners(world, world.system.publisher(flow), [patience])
        world.finish()
    came = arrivals(gaps)
    assert holds(came, listener.elements, seconds), listener.elements
    if kind != "take_within":  # which has perhaps completed before
        assert (listener.end == "complete") == (end == ENDS)


asks = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 3)), max_size=6)


def asked_in_time(flow, asks):
    """A subscriber that asks at quarters of a second, when nothing else is due; its last second."""
    with World() as world:
        asker = ByHand(world, flow)
        world.sleep(0.25)
        for halves, n in asks:
            world.sleep(halves / 2)
            asker.ask(n)
        world.sleep(20)
        asker.subscription.cancel()
        return asker.came, world.now


def event_times(asks):
    """When so many are asked for."""
    seconds = 0.25
    for halves, n in asks:
        seconds += halves / 2
        yield seconds, n


@moderate
@given(asks=asks, interval=st.sampled_from([1.0, 2.0]))
def test_a_tick_is_given_if_somebody_asks_for_it_and_else_left_out(asks, interval):
    seen, last = asked_in_time(Source.tick(interval), asks)
    expected, demand, left = [], 0, list(event_times(asks))
    for number in range(int(last / interval)):
        while left and left[0][0] < (number + 1) * interval:
            demand += left.pop(0)[1]
        if demand:
            demand -= 1
            expected.append((number, (number + 1) * interval))
    assert seen == expected


@moderate
@given(window=windows, burst=st.integers(1, 3))
def test_ticks_that_a_window_has_room_for_wait_in_it(window, burst):
    """Behind what passes one element in three seconds, those beyond the window are left out."""
    flow = Source.tick(1.0).throttle(1, per=3.0, burst=burst).with_attributes(window=window)
    with World() as world:
        got = world.start(flow.take(6).to(Sink.list())).result()
    assert got == sorted(set(got))
    room = min(6, window + burst)
    assert got[:room] == list(range(room))
