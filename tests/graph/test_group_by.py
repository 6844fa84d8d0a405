# mypy: disable-error-code="arg-type, operator, var-annotated"
"""Groups in a running graph, under random windows, demand and failures."""

from collections import Counter, defaultdict
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import GraphError, RunCancelled, StageError, Stalled, TooManyGroupsError
from tests.graph.helpers import SECONDS, wait_until
from tests.graph.models import Upstream, check_cancel, check_demand, check_list, quick, trials


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def grouped(xs, key):
    groups = defaultdict(list)
    for x in xs:
        groups[key(x)].append(x)
    return groups


def by_three(x):
    return x % 3


def same(group):
    return group


CONSUMERS = {
    "as it is": same,
    "through a stage": lambda group: group.map(int),
    "through two": lambda group: group.map(int).filter(lambda _: True),
}


@quick
@given(trial=trials(), consumer=st.sampled_from(sorted(CONSUMERS)), most=st.sampled_from([3, 50]))
def test_all_elements_come_out_of_their_groups(shared, trial, consumer, most):
    def operator(source):
        return source.group_by(by_three, most).flat_map(CONSUMERS[consumer], breadth=most)

    check_list(shared, operator, list, trial, view=sorted)
    check_demand(shared, operator, list, trial, view=sorted)
    check_cancel(shared, operator, trial)


@quick
@given(trial=trials(), window=st.integers(1, 20))
def test_each_group_has_the_elements_of_its_key_in_order(shared, trial, window):
    source = Source.from_iterable(trial.xs).group_by(by_three, 3).with_attributes(window=window)
    flow = source.flat_map(lambda g: g.reduce([g.key], lambda xs, x: [*xs, x]), breadth=3)
    got = shared.start(flow.to(Sink.list())).result(SECONDS)
    assert {group[0]: group[1:] for group in got} == grouped(trial.xs, by_three)
    assert len(got) == len({by_three(x) for x in trial.xs})


@quick
@given(trial=trials(), most=st.integers(1, 3), idle=st.sampled_from([None, 60]))
def test_evicted_groups_together_have_all_elements_of_their_key(shared, trial, most, idle):
    source = Source.from_iterable(trial.xs).group_by(by_three, most, "evict_idle", idle)
    source = source.with_attributes(window=trial.window)
    flow = source.flat_map(lambda g: g.map(lambda x: (g.key, x)), breadth=1000)
    got = shared.start(flow.to(Sink.list())).result(SECONDS)
    assert sorted(got) == sorted((by_three(x), x) for x in trial.xs)


@quick
@given(trial=trials(), most=st.integers(1, 3))
def test_diverted_elements_are_all_in_the_group_of_the_overflow(shared, trial, most):
    source = Source.from_iterable(trial.xs).group_by(by_three, most, "divert")
    flow = source.flat_map(lambda g: g.map(lambda x: (g.is_overflow, x)), breadth=most + 1)
    got = shared.start(flow.to(Sink.list())).result(SECONDS)
    assert sorted(x for _, x in got) == sorted(trial.xs)
    assert len({by_three(x) for over, x in got if not over}) == min(
        most, len({by_three(x) for x in trial.xs})
    )


OVERFLOWING = {
    "evict_idle": lambda s: s.group_by(by_three, 2, "evict_idle", 60).flat_map(same, breadth=1000),
    "divert": lambda s: s.group_by(by_three, 2, "divert").flat_map(same, breadth=3),
    "fail": lambda s: s.group_by(by_three, 3, "fail").flat_map(same, breadth=3),
}
"""Of three keys each; only ``"fail"`` has room for all of them."""


@pytest.mark.parametrize("how", OVERFLOWING)
@quick
@given(trial=trials())
def test_groups_beyond_the_most_keep_to_every_demand_and_can_be_cancelled(shared, how, trial):
    check_list(shared, OVERFLOWING[how], list, trial, view=sorted)
    check_demand(shared, OVERFLOWING[how], list, trial, view=sorted)
    check_cancel(shared, OVERFLOWING[how], trial)


@pytest.mark.parametrize("how", OVERFLOWING)
@quick
@given(trial=trials())
def test_groups_of_a_source_that_fails_give_no_more_than_went_in_and_name_it(shared, how, trial):
    before = trial.xs[: trial.fails_behind]
    upstream, seen = Upstream(before, KeyError("the source fails")), []
    flow = OVERFLOWING[how](upstream.source().named("broken"))
    flow = flow.with_attributes(window=trial.window)
    run = shared.start(flow.to(Sink.for_each(seen.append).with_attributes(window=trial.last)))
    with pytest.raises(StageError) as caught:
        run.result(SECONDS)
    assert (caught.value.stage, caught.value.__cause__) == ("broken", upstream.error)
    assert Counter(seen) <= Counter(before)
    upstream.wait_until_released()


@quick
@given(trial=trials(), most=st.integers(1, 3))
def test_a_group_too_many_fails_the_run_and_one_fewer_does_not(shared, trial, most):
    upstream, seen = Upstream(trial.xs), []
    groups = upstream.source().group_by(by_three, most, "fail")
    flow = groups.flat_map(same, breadth=most).with_attributes(window=trial.window)
    run = shared.start(flow.to(Sink.for_each(seen.append).with_attributes(window=trial.last)))
    if len(grouped(trial.xs, by_three)) <= most:
        assert run.result(SECONDS) == len(trial.xs)
    else:
        with pytest.raises(TooManyGroupsError):
            run.result(SECONDS)
    assert Counter(seen) <= Counter(trial.xs)
    upstream.wait_until_released()


def test_too_many_groups_fail_the_run_if_told_to(system):
    flow = Source.range(0, 9).group_by(by_three, 2, "fail").flat_map(lambda g: g, breadth=3)
    with pytest.raises(TooManyGroupsError, match="max_groups=2"):
        system.start(flow.to(Sink.list())).result(SECONDS)


def test_groups_that_nobody_runs_are_named_instead_of_standing_still(system):
    source = Source.range(0, 10_000).group_by(by_three, 10, stall_after=1)
    with pytest.raises(Stalled, match="nobody runs the streams of groups 1, 2"):
        system.start(source.flat_map(lambda g: g).to(Sink.list())).result(SECONDS)
    with pytest.raises(Stalled, match="nobody runs the streams of groups 0, 1, 2"):
        system.start(source.to(Sink.list())).result(SECONDS)


def test_room_that_never_comes_is_an_error_that_names_the_keys_that_wait(system):
    source = Source.range(0, 30_000).group_by(by_three, 2, stall_after=1)
    with pytest.raises(Stalled, match="keys wait for room: 2"):
        system.start(source.flat_map(lambda g: g, breadth=9).to(Sink.list())).result(SECONDS)


def test_what_comes_for_a_group_that_was_cut_short_can_be_dropped_and_is_counted(system):
    groups = Source.range(0, 10_000).group_by(by_three, 3, closed="drop")
    run = system.start(groups.flat_map(lambda g: g.take(2), breadth=3).to(Sink.list()))
    assert sorted(run.result(SECONDS)) == [0, 1, 2, 3, 4, 5]
    assert details(run)["dropped"] == 9_994


def details(run):
    return next(stage.details for stage in run.snapshot().stages if stage.kind == "group_by")


def test_a_key_that_comes_again_after_its_group_was_cut_short_opens_a_new_one(system):
    groups = Source.range(0, 3000).group_by(lambda n: n % 10, 10)
    fours = groups.flat_map(lambda g: g.take(4).batch(4), breadth=10)
    run = system.start(fours.to(Sink.list()))
    got = run.result(SECONDS)
    assert sorted(n for four in got for n in four) == list(range(3000))
    assert all(len(four) == 4 and four == [four[0] + 10 * i for i in range(4)] for four in got)
    assert (details(run)["opened"], details(run)["dropped"]) == (750, 0)


@pytest.mark.parametrize("sink", [Sink.ignore, Sink.count])
def test_groups_that_nobody_keeps_are_cancelled_at_once_and_their_elements_counted(system, sink):
    run = system.start(Source.range(0, 10_000).group_by(by_three, 100).to(sink()))
    run.result(SECONDS)
    assert details(run)["dropped"] == 10_000


def test_a_group_that_is_kept_but_not_run_fails_the_stage_as_soon_as_nothing_moves(system):
    began = monotonic()
    with pytest.raises(Stalled, match="nobody runs the streams of groups 0, 1, 2"):
        system.start(Source.range(0, 9).group_by(by_three, 100).to(Sink.list())).result(SECONDS)
    assert monotonic() - began < SECONDS / 2, "and not after half a minute"


def test_more_groups_than_the_breadth_that_runs_them_are_named():
    groups = Source.range(0, 5000).group_by(lambda n: n % 500, 1000)
    counts = groups.flat_map(lambda g: g.count(), breadth=256)
    with ActorSystem(window=128) as system:
        run = system.start(counts.to(Sink.list()))
        with pytest.raises(Stalled, match=r"nobody runs .* 256, 257"):
            run.result(SECONDS)


def test_a_failure_within_a_group_ends_the_run_and_names_its_stage(system):
    upstream = Upstream(iter(int, 1))
    flow = upstream.source().group_by(by_three, 3).flat_map(lambda g: g.map(lambda x: 1 // x), 3)
    with pytest.raises(StageError, match=r"stage 'map#1' failed"):
        system.start(flow.to(Sink.list())).result(SECONDS)
    upstream.wait_until_released()
    wait_until(lambda: not system.children())


def test_cancelling_the_run_ends_all_groups(system):
    upstream = Upstream(iter(int, 1))
    seen = []
    flow = upstream.source().group_by(by_three, 3).flat_map(lambda g: g.map(int), breadth=3)
    going = system.start(flow.to(Sink.for_each(seen.append)))
    wait_until(lambda: len(seen) > 10)
    going.cancel()
    assert going.wait(SECONDS)
    upstream.wait_until_released()
    wait_until(lambda: not system.children())


def test_draining_delivers_what_is_in_the_groups(system):
    given = []

    def endless():
        while True:
            given.append(len(given))
            yield given[-1]

    flow = Source.from_iterable(endless).group_by(by_three, 3)
    flow = flow.flat_map(lambda g: g.map(int), breadth=3)
    going = system.start(flow.to(Sink.list()))
    wait_until(lambda: len(given) > 100)
    going.drain()
    assert sorted(going.result(SECONDS)) == given


def test_a_group_can_be_run_once(system):
    def twice(group):
        system.start(group.to(Sink.ignore()))
        return group

    flow = Source.range(0, 9).group_by(by_three, 3).flat_map(twice, breadth=3)
    with pytest.raises(
        StageError, match="group 0 of 'group_by' runs once, and it was run already"
    ) as caught:
        system.start(flow.to(Sink.list())).result(SECONDS)
    assert isinstance(caught.value.__cause__, GraphError)


def test_a_group_can_be_run_by_itself_elsewhere(system):
    runs = []
    flow = Source.range(0, 99).group_by(by_three, 3)
    system.start(
        flow.to(Sink.for_each(lambda g: runs.append(system.start(g.map(int).to(Sink.sum())))))
    ).result(SECONDS)
    assert sorted(run.result(SECONDS) for run in runs) == [1584, 1617, 1650]


def test_a_group_that_is_run_behind_the_end_of_its_stage_hears_how_that_ended(system):
    kept = []
    flow = Source.range(0, 3).group_by(by_three, 3, stall_after=None)
    going = system.start(flow.to(Sink.for_each(kept.append)))
    wait_until(lambda: len(kept) == 3)
    going.cancel()
    with pytest.raises(RunCancelled):
        going.result(SECONDS)
    with pytest.raises(RunCancelled):
        system.start(kept[0].to(Sink.list())).result(SECONDS)


def test_a_run_is_cancelled_at_once_although_nobody_runs_its_groups(system):
    kept = []
    source = Source.range(0, 10_000).group_by(by_three, 3)
    going = system.start(source.to(Sink.for_each(kept.append)))
    wait_until(lambda: len(kept) == 3)
    going.cancel()
    with pytest.raises(RunCancelled):
        going.result(SECONDS)


def test_groups_beyond_those_that_were_wanted_hold_nobody_up(system):
    flow = Source.range(0, 10_000).group_by(by_three, 3).take(1).flat_map(lambda g: g)
    assert system.start(flow.to(Sink.count())).result(SECONDS) == 3334


def test_a_failure_of_upstream_fails_the_groups(system):
    flow = Source.range(0, 9).map(lambda x: 1 // (5 - x)).named("up")
    flow = flow.group_by(by_three, 3).flat_map(lambda g: g.sum(), breadth=3)
    seen = []
    with pytest.raises(StageError, match="stage 'up' failed at element 5"):
        system.start(flow.to(Sink.for_each(seen.append))).result(SECONDS)
    assert seen == []


def test_group_by_refuses_bad_arguments_when_the_blueprint_is_built():
    source = Source.of(1)
    with pytest.raises(TypeError, match="group_by: key must be callable"):
        source.group_by(3, 3)
    for most in (0, -1):
        with pytest.raises(ValueError, match="max_groups must be at least 1"):
            source.group_by(str, most)
    with pytest.raises(ValueError, match="on_overflow must be one of"):
        source.group_by(str, 1, "drop")
    for seconds in (0, -1):
        with pytest.raises(ValueError, match="idle_timeout"):
            source.group_by(str, 1, idle_timeout=seconds)
        with pytest.raises(ValueError, match="stall_after"):
            source.group_by(str, 1, stall_after=seconds)


def test_a_group_of_the_overflow_that_nobody_runs_is_said_to_need_a_breadth_of_its_own():
    def counted(breadth, stall_after):
        groups = Source.range(0, 40_000).group_by(
            lambda n: n % 4, 2, "divert", stall_after=stall_after
        )
        return groups.flat_map(lambda group: group.count(), breadth=breadth).run(Sink.list())

    with pytest.raises(Stalled, match=r"OVERFLOW.*breadth=max_groups \+ 1\)"):
        counted(breadth=2, stall_after=0.2)
    counts = counted(breadth=3, stall_after=SECONDS)
    assert sorted(counts) == [10_000, 10_000, 20_000]


@pytest.mark.parametrize(("groups", "breadth"), [(1000, 256), (2, None), (2, 1)])
def test_fewer_streams_than_groups_is_a_warning_on_the_line_that_says_so(groups, breadth):
    with pytest.warns(UserWarning, match=rf"group_by\(max_groups={groups}\).*same number") as told:
        Source.range(0, 9).group_by(abs, groups).flat_map(lambda group: group, breadth=breadth)
    assert told[0].filename == __file__


def test_as_many_streams_as_groups_is_no_warning(recwarn):
    Source.range(0, 9).group_by(abs, 2).flat_map(lambda group: group, breadth=2)
    Source.range(0, 9).group_by(abs, 1).flat_map(lambda group: group)
    Source.range(0, 9).group_by(abs, 9).map(lambda group: group).flat_map(lambda group: group)
    assert not recwarn.list


@pytest.mark.parametrize("overflow", ["backpressure", "divert", "fail", "evict_idle"])
def test_a_receiver_that_takes_nothing_ends_and_its_elements_are_counted(system, overflow):
    keys = Source.of("a", "b", "a").group_by(str, max_groups=2, on_overflow=overflow)
    run = system.start(keys.flat_map(lambda group: group.take(0), breadth=3).to(Sink.list()))
    assert run.result(SECONDS) == []
    counted = sum(
        stage.details.get("dropped", 0) + stage.details.get("unwanted", 0)
        for stage in run.snapshot().stages
        if stage.kind == "group_by"
    )
    assert counted == 3
