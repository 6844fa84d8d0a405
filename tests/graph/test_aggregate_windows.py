# mypy: disable-error-code="var-annotated, arg-type, call-overload, union-attr, attr-defined"
"""``aggregate_by`` over windows, held to the examples that Beam and Flink define theirs with."""

import asyncio
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Graph, Sink, Source, WindowResult
from actors_rs.errors import StageError
from actors_rs.testing.world import World


def appended(values, element):
    return [*values, element]


def at(element):
    return element


def windows_of(world, source, **options):
    """``{(start, end): elements}`` of one key, by the elements' own times."""
    flow = source.aggregate_by(lambda _: "k", list, appended, event_time=at, **options)
    got = world.start(flow.to(Sink.list())).result()
    assert all(one.key == "k" for one in got)
    assert [one.end for one in got] == sorted(one.end for one in got)
    return {(one.start, one.end): sorted(one.value) for one in got}


# What Beam tests its window functions with: times, options, and what is in which window.
BEAM = {
    "fixed": ([1, 2, 5, 9, 10, 11], {"every": 10}, {(0, 10): [1, 2, 5, 9], (10, 20): [10, 11]}),
    "fixed, offset": (
        [1, 2, 5, 9, 10, 11],
        {"every": 10, "offset": 5},
        {(-5, 5): [1, 2], (5, 15): [5, 9, 10, 11]},
    ),
    "sliding": (
        [1, 2, 5, 9, 10, 11],
        {"sliding": (10, 5)},
        {(-5, 5): [1, 2], (0, 10): [1, 2, 5, 9], (5, 15): [5, 9, 10, 11], (10, 20): [10, 11]},
    ),
    "sliding, slightly overlapping": (
        [1, 2, 5, 9, 10, 11],
        {"sliding": (7, 5)},
        {(-5, 2): [1], (0, 7): [1, 2, 5], (5, 12): [5, 9, 10, 11], (10, 17): [10, 11]},
    ),
    "sliding, equal size": (
        [1, 2, 3, 4, 5, 6, 7],
        {"sliding": (3, 3)},
        {(0, 3): [1, 2], (3, 6): [3, 4, 5], (6, 9): [6, 7]},
    ),
    "sliding, with gaps": (
        [1, 2, 3, 5, 9, 10, 11],
        {"sliding": (3, 10)},
        {(0, 3): [1, 2], (10, 13): [10, 11]},
    ),
    "sliding, offset": (
        [1, 2, 5, 9, 10, 11],
        {"sliding": (10, 5), "offset": 2},
        {(-8, 2): [1], (-3, 7): [1, 2, 5], (2, 12): [2, 5, 9, 10, 11], (7, 17): [9, 10, 11]},
    ),
    "sessions": ([0, 10, 101], {"session": 10}, {(0, 10): [0], (10, 20): [10], (101, 111): [101]}),
    "sessions, consecutive": (
        [1, 2, 5, 9, 100, 101],
        {"session": 10},
        {(1, 19): [1, 2, 5, 9], (100, 111): [100, 101]},
    ),
    "sessions, merging": (
        [1, 15, 30, 100, 101, 95, 22, 10],
        {"session": 10, "lateness": 200},
        {(1, 40): [1, 10, 15, 22, 30], (95, 111): [95, 100, 101]},
    ),
}


@pytest.mark.parametrize("name", BEAM)
def test_windows_are_those_of_beam(name):
    times, options, expected = BEAM[name]
    with World() as world:
        assert windows_of(world, Source.of(*times), **options) == expected


@given(
    times=st.lists(st.integers(0, 60), max_size=20),
    lateness=st.sampled_from([0, 7, 60]),
    size=st.integers(1, 12),
)
def test_each_element_is_in_its_window_unless_that_was_closed_when_it_came(times, lateness, size):
    expected, late, latest = {}, [], -1000
    for time in times:
        latest = max(latest, time)
        start = time // size * size
        if start + size <= latest - lateness:
            late.append(time)
        else:
            expected.setdefault((start, start + size), []).append(time)
    with World() as world:
        got = windows_of(world, Source.of(*times), every=size, lateness=lateness)
        letters = [one.what for one in world.system.dead_letters.recent()]
    assert got == {window: sorted(held) for window, held in expected.items()}
    assert letters == late


# "Streaming Systems", the scores of a team: minutes and seconds behind 12:00, event and processing.
SCORES = [
    (5, "00:26", "05:19"),
    (7, "02:26", "05:39"),
    (3, "03:39", "06:13"),
    (4, "04:19", "06:39"),
    (8, "03:06", "07:06"),
    (3, "06:39", "07:19"),
    (9, "01:26", "08:19"),
    (8, "07:26", "08:39"),
    (1, "07:46", "09:00"),
]


def seconds(text):
    return int(text[:2]) * 60 + int(text[3:])


def scores_as_they_come(scores=SCORES):
    """Each score when it is processed, in virtual time; the run begins at 12:00."""
    now = {"is": 0}

    async def awaited(score):
        wait = seconds(score[2]) - now["is"]
        now["is"] += wait
        await asyncio.sleep(wait)
        return score

    return Source.of(*scores).map_async(awaited, 1)


def total(world, flow, **options):
    summed = flow.aggregate_by(lambda _: "team", 0, lambda n, score: n + score[0], **options)
    seen = []
    sink = Sink.for_each(lambda one: seen.append((one.start / 60, one.value, round(world.now))))
    world.start(summed.to(sink)).result()
    return seen


def by_score(score):
    return seconds(score[1])


def test_scores_of_two_minutes_of_event_time():
    with World() as world:
        flow = scores_as_they_come()
        got = total(world, flow, every=120, event_time=by_score, lateness=600)
    assert [(start, value) for start, value, _ in got] == [(0, 14), (2, 18), (4, 4), (6, 12)]


def test_with_a_watermark_that_is_too_fast_the_late_score_is_not_in_its_window_but_not_lost():
    late = []
    with World() as world:
        got = total(
            world,
            scores_as_they_come(),
            every=120,
            event_time=by_score,
            lateness=60,
            late=Sink.for_each(late.append),
        )
        assert [(start, value) for start, value, _ in got] == [(0, 5), (2, 18), (4, 4), (6, 12)]
        closed = [now for *_, now in got]
    # 12:02 is over when 3 comes for 12:03:39, the rest when 3 comes for 12:06:39.
    assert closed[:2] == [seconds("06:13"), seconds("07:19")]
    assert late == [(9, "01:26", "08:19")]


def test_scores_of_two_minutes_of_processing_time():
    with World() as world:
        got = total(world, scores_as_they_come(), every=120)
    assert got == [(4, 12, 360), (6, 18, 480), (8, 18, 540)]


def test_windows_by_the_clock_close_when_it_is_time_though_nothing_comes():
    with World() as world:
        seen = []
        flow = Source.of(1, 2).append(Source.never()).aggregate_by(abs, 0, max, every=10)
        sink = Sink.for_each(lambda one: seen.append((one, round(world.now))))
        run = world.start(flow.to(sink))
        world.sleep(30)
        assert seen == [(WindowResult(1, 0, 10, 1), 10), (WindowResult(2, 0, 10, 2), 10)]
        run.cancel()
        run.wait()


def test_sessions_by_the_clock_end_a_gap_after_the_last_element():
    gaps = [0, 3, 3, 20, 1]

    async def after(gap):
        await asyncio.sleep(gap)
        return gap

    with World() as world:
        flow = Source.of(*gaps).map_async(after, 1)
        counted = flow.aggregate_by(lambda _: "k", 0, lambda n, _: n + 1, session=5)
        got = world.start(counted.to(Sink.list())).result()
        assert [(one.start, one.end, one.value) for one in got] == [(0, 11, 3), (26, 32, 2)]


# The word count of Spark's guide: windows of ten minutes, every five, in minutes after 12:00.
WORDS = [(2, "cat"), (2, "dog"), (3, "dog"), (3, "dog"), (7, "owl"), (7, "cat"), (11, "dog")]
WORDS += [(13, "owl")]


def test_words_in_sliding_windows():
    midday = datetime(2026, 1, 1, 12)
    timed = [(midday + timedelta(minutes=minute), word) for minute, word in WORDS]
    with World() as world:
        flow = Source.of(*timed).aggregate_by(
            lambda one: one[1],
            0,
            lambda n, _: n + 1,
            sliding=(600, 300),
            event_time=lambda one: one[0],
        )
        got = world.start(flow.to(Sink.list())).result()
    counts = {((one.start - midday) // timedelta(minutes=1), one.key): one.value for one in got}
    assert counts == {
        (-5, "cat"): 1,
        (-5, "dog"): 3,
        (0, "cat"): 2,
        (0, "dog"): 3,
        (0, "owl"): 1,
        (5, "cat"): 1,
        (5, "owl"): 2,
        (5, "dog"): 1,
        (10, "dog"): 1,
        (10, "owl"): 1,
    }


def test_an_element_that_is_late_for_one_of_its_windows_counts_in_the_other():
    with World() as world:
        assert windows_of(world, Source.of(3, 11, 7), sliding=(10, 5)) == {
            (-5, 5): [3],
            (0, 10): [3],  # closed by 11, before 7 came
            (5, 15): [7, 11],
            (10, 20): [11],
        }


def test_without_a_sink_for_them_late_elements_are_dead_letters_and_counted():
    with World() as world:
        flow = Source.of(1, 30, 2).aggregate_by(lambda _: 0, 0, max, every=10, event_time=at)
        run = world.start(flow.to(Sink.list()))
        assert [one.value for one in run.result()] == [1, 30]
        (letter,) = world.system.dead_letters.recent()
        assert (letter.what, letter.why) == (2, "it came after its window had been closed")
        assert run.snapshot().stages[1].details["late"] == 1


def test_elements_may_come_out_of_order_by_the_lateness():
    with World() as world:
        got = windows_of(world, Source.of(1, 14, 9, 15, 8), every=10, lateness=5)
        assert got == {(0, 10): [1, 9], (10, 20): [14, 15]}
        assert [one.what for one in world.system.dead_letters.recent()] == [8]


def test_the_slowest_of_merged_streams_says_what_time_it_is():
    async def after(pair):
        await asyncio.sleep(pair[0])
        return pair[1]

    def timed(*pairs):
        return Source.of(*pairs).map_async(after, 1)

    fast = timed((1, 5), (1, 25), (1, 45))
    slow = timed((10, 6), (10, 16), (10, 26))
    with World() as world:
        flow = fast.aggregate_by(
            lambda _: "k", list, appended, every=10, event_time=at, merged_with=[slow]
        )
        seen = []
        sink = Sink.for_each(lambda one: seen.append((one.start, one.value, round(world.now))))
        world.start(flow.to(sink)).result()
        assert world.system.dead_letters.recent() == ()
    assert seen == [(0, [5, 6], 20), (10, [16], 30), (20, [25, 26], 30), (40, [45], 30)]


def test_a_stream_that_is_idle_is_not_waited_for():
    with World() as world:
        flow = (
            Source.of(1, 11, 21)
            .append(Source.never())
            .aggregate_by(
                lambda _: "k",
                list,
                appended,
                every=10,
                event_time=at,
                merged_with=[Source.never()],
                idle_after=60,
            )
        )
        seen = []
        sink = Sink.for_each(lambda one: seen.append((one.start, one.value, round(world.now))))
        run = world.start(flow.to(sink))
        world.sleep(59)
        assert seen == []
        world.sleep(3)
        assert seen == []  # both are idle: time stands still
        run.cancel()
        run.wait()


def test_an_idle_stream_counts_no_more_once_the_other_goes_on():
    async def after(pair):
        await asyncio.sleep(pair[0])
        return pair[1]

    with World() as world:
        busy = Source.of((1, 1), (1, 11), (100, 21)).map_async(after, 1)
        flow = busy.aggregate_by(
            lambda _: "k",
            list,
            appended,
            every=10,
            event_time=at,
            merged_with=[Source.never()],
            idle_after=60,
        )
        seen = []
        sink = Sink.for_each(lambda one: seen.append((one.start, one.value, round(world.now))))
        run = world.start(flow.to(sink))
        world.sleep(200)
        # It is idle 60 s behind the start. Once the other ends, time stands still: it may go on.
        assert seen == [(0, [1], 60), (10, [11], 102)]
        run.cancel()
        run.wait()


@pytest.mark.parametrize("merge", [None, lambda a, b: a + b])
def test_sessions_become_one_when_an_element_joins_them(merge):
    with World() as world:
        options = {"session": 10, "lateness": 100, "merge": merge}
        got = windows_of(world, Source.of(0, 15, 8), **options)
        assert got == {(0, 25): [0, 8, 15]}


def test_results_wait_for_demand_and_nothing_is_taken_meanwhile():
    with World(window=1) as world:
        flow = Source.range(0, 50).aggregate_by(abs, 0, max, every=1, event_time=at)
        got = world.start(flow.to(Sink.list().with_attributes(window=1))).result()
    assert [one.key for one in got] == list(range(50))


def test_a_late_sink_that_has_had_enough_holds_nobody_up():
    with World() as world:
        late = Sink.first()
        flow = Source.of(30, 1, 2, 3, 41).aggregate_by(
            lambda _: 0, 0, max, every=10, event_time=at, late=late
        )
        run = world.start(flow.to(Sink.list()))
        assert [one.value for one in run.result()] == [30, 41]


def test_an_element_whose_time_cannot_be_read_follows_on_failure():
    with World() as world:
        flow = Source.of(1, "two", 3).aggregate_by(lambda _: 0, 0, max, every=10, event_time=at)
        run = world.start(flow.on_failure("resume").to(Sink.list()))
        assert [one.value for one in run.result()] == [3]
        with pytest.raises(StageError, match=r"element 1.*event_time must give seconds"):
            world.start(flow.to(Sink.list())).result()


def test_a_failure_upstream_gives_what_was_closed_before_and_no_open_window():
    with World() as world:
        seen = []
        source = Source.of(1, 11, 0).map(lambda n: n if n else 1 // n)
        flow = source.aggregate_by(lambda _: 0, 0, max, every=10, event_time=at)
        with pytest.raises(StageError, match="ZeroDivisionError"):
            world.start(flow.to(Sink.for_each(seen.append))).result()
    assert [one.value for one in seen] == [1]


def test_more_keys_than_allowed_count_over_all_open_windows():
    with World() as world:
        flow = Source.of(1, 2, 3, 11).aggregate_by(
            abs, 0, max, every=10, event_time=at, max_keys=2, on_overflow="emit_oldest"
        )
        run = world.start(flow.to(Sink.list()))
        assert [one.key for one in run.result()] == [1, 2, 3, 11]
        assert run.snapshot().stages[1].details["emitted_early"] == 1


def test_a_graph_with_a_late_sink_can_be_put_together_with_others():
    late = []
    flow = Source.of(30, 1).aggregate_by(
        lambda _: 0, 0, max, every=10, event_time=at, late=Sink.for_each(late.append)
    )
    one, other = Graph(flow.to(Sink.count()), Source.of(1).to(Sink.count())).run()
    assert (one, other, late) == (1, 1, [1])
