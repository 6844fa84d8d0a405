# mypy: disable-error-code="var-annotated,arg-type"
"""Operators of time, rate and life cycle in graphs, where time does not matter: against lists."""

import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Flow, KillSwitch, RateLimit, Sink, Source
from actors_rs.errors import (
    BufferOverflowError,
    GraphError,
    InvalidArgumentError,
    StageError,
    StreamTimeoutError,
)
from tests.graph.helpers import SECONDS, wait_until
from tests.graph.models import check_function, check_operator, quick, trials

LONG, SHORT = 1000, 1e-4

UNCHANGED = {
    "backpressure_timeout": lambda s: s.backpressure_timeout(LONG),
    "buffer": lambda s: s.buffer(3),
    "buffer_large": lambda s: s.buffer(10**6, "drop_all"),
    "completion_timeout": lambda s: s.completion_timeout(LONG),
    "delay": lambda s: s.delay(SHORT),
    "idle_timeout": lambda s: s.idle_timeout(LONG),
    "initial_timeout": lambda s: s.initial_timeout(LONG),
    "keep_alive": lambda s: s.keep_alive(LONG, 0),
    "kill_switch": lambda s: s.kill_switch(KillSwitch()),
    "monitor": lambda s: s.monitor(id),
    "on_termination": lambda s: s.on_termination(id),
    "take_within": lambda s: s.take_within(LONG),
    "throttle": lambda s: s.throttle(1e6),
    "throttle_cost": lambda s: s.throttle(1e6, burst=50, cost=abs),
    "expand": lambda s: s.expand(lambda x: [x]),
    "conflate": lambda s: s.conflate(lambda x: [x], lambda xs, x: [*xs, x]).flat_map(list),
}


@pytest.mark.parametrize("operator", UNCHANGED.values(), ids=UNCHANGED.keys())
@quick
@given(trial=trials())
def test_what_passes_is_neither_changed_nor_lost(shared, operator, trial):
    check_operator(shared, operator, list, trial)


@quick
@given(trial=trials())
def test_skip_within_gives_nothing_of_a_short_stream(shared, trial):
    check_operator(shared, lambda s: s.skip_within(LONG), lambda _: [], trial)


@pytest.mark.parametrize("kind", ["debounce", "sample"])
@quick
@given(trial=trials())
def test_of_a_short_stream_the_newest_element_is_given_at_its_end(shared, kind, trial):
    check_operator(shared, lambda s: getattr(s, kind)(LONG), lambda xs: xs[-1:], trial)


@pytest.mark.parametrize(
    "operator",
    [
        lambda s, touch: s.throttle(1e6, burst=50, cost=lambda x: touch(x) * 0),
        lambda s, touch: s.expand(lambda x: [touch(x)]),
    ],
)
@quick
@given(trial=trials())
def test_what_comes_before_a_failing_function_is_delivered(shared, operator, trial):
    check_function(shared, operator, list, trial)


@quick
@given(st.lists(st.integers(), max_size=40), st.integers(1, 9))
def test_a_dropping_buffer_gives_each_element_or_counts_it(shared, xs, size):
    flow = Source.from_iterable(lambda: iter(xs)).buffer(size, "drop_oldest").named("buffer")
    run = shared.start(flow.to(Sink.list().with_attributes(window=1)))
    given_on = run.result(SECONDS)
    (dropped,) = (s.details["dropped"] for s in run.snapshot().stages if s.name == "buffer")
    assert len(given_on) + dropped == len(xs)
    left = iter(xs)
    assert all(x in left for x in given_on), "another order"


def test_what_a_buffer_drops_can_be_seen_among_the_dead_letters(shared):
    before = shared.dead_letters.total
    flow = Source.range(0, 1000).buffer(1, "drop_newest", dead_letters=True)
    kept = shared.start(flow.map_async(lambda x: x, 1).to(Sink.count())).result(SECONDS)
    wait_until(lambda: shared.dead_letters.total - before == 1000 - kept)


def test_a_buffer_that_may_not_overflow_fails_the_run(shared):
    flow = Source.range(0, 10**5).buffer(1, "fail").map_async(lambda x: x, 1)
    with pytest.raises(BufferOverflowError, match="buffer"):
        shared.start(flow.to(Sink.ignore())).result(SECONDS)


def test_a_timeout_is_the_runs_failure_and_a_timeout_error(shared):
    run = shared.start(Source.never().idle_timeout(0.001).named("patience").to(Sink.list()))
    with pytest.raises(StreamTimeoutError, match="'patience'") as caught:
        run.result(SECONDS)
    assert isinstance(caught.value, TimeoutError)


def test_ticks_are_in_order_and_a_timer_is_one(shared):
    ticks = shared.start(Source.tick(0.001).take(5).to(Sink.list())).result(SECONDS)
    assert ticks == sorted(set(ticks))
    assert shared.start(Source.timer(0.001).to(Sink.list())).result(SECONDS) == [0]


def test_streams_that_share_a_limit_pass_no_more_than_it_allows_together(shared):
    limit = RateLimit(1, per=LONG, burst=10)
    runs = [shared.start(Source.repeat(1).throttle(limit).to(Sink.count())) for _ in range(3)]

    def passed():
        return sum(
            s.elements_in for run in runs for s in run.snapshot().stages if s.kind == "count"
        )

    wait_until(lambda: passed() == 10)
    limit.change(1, per=1e-3, burst=5)
    wait_until(lambda: passed() > 20)
    for run in runs:
        run.cancel()
        assert run.wait(SECONDS)
    wait_until(lambda: len(limit._listeners) == 0)


# Life cycle


def test_one_switch_ends_many_runs_and_keeps_none_of_them(shared):
    switch = KillSwitch()
    runs = [shared.start(Source.never().kill_switch(switch).to(Sink.count())) for _ in range(3)]
    wait_until(lambda: len(switch._listeners) == 3)
    switch.shutdown()
    assert [run.result(SECONDS) for run in runs] == [0, 0, 0]
    late = shared.start(Source.repeat(1).kill_switch(switch).to(Sink.count()))
    assert late.result(SECONDS) == 0
    gone = [weakref.ref(run) for run in runs]
    del runs
    assert len(switch._listeners) == 0

    def collected():
        gc.collect()
        return not any(ref() for ref in gone)

    wait_until(collected)


def test_an_abort_is_the_runs_failure_as_it_is(shared):
    switch, error = KillSwitch(), OSError("pulled")
    run = shared.start(Source.never().kill_switch(switch).to(Sink.count()))
    switch.abort(error)
    with pytest.raises(OSError, match="pulled") as caught:
        run.result(SECONDS)
    assert caught.value is error


def raising(_):
    raise ValueError("at the element")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda flow: flow.skip(9), type(None)),
        (lambda flow: flow.take(1), type(None)),
        (lambda flow: flow.map(raising), StageError),
    ],
)
def test_the_end_is_told_before_the_run_ends_whichever_side_it_came_from(shared, make, told):
    ends = []
    flow = make(Source.repeat(1, 10**6).on_termination(ends.append))
    shared.start(flow.to(Sink.ignore())).wait(SECONDS)
    assert [type(end) for end in ends] == [told]


def test_a_failing_on_termination_fails_the_run(shared):
    with pytest.raises(StageError, match="on_termination"):
        shared.start(Source.of(1).on_termination(raising).to(Sink.list())).result(SECONDS)


def test_a_monitor_sees_the_stream_at_its_place(shared):
    states = []
    flow = Source.range(0, 9).monitor(states.append, every=LONG).filter(lambda _: False)
    shared.start(flow.to(Sink.list())).result(SECONDS)
    assert [(s.state, s.elements) for s in states] == [("running", 0), ("completed", 9)]


@pytest.mark.parametrize("f", [None, id])
def test_a_snapshot_has_what_a_monitor_came_to_with_and_without_a_function(shared, f):
    run = shared.start(Source.range(0, 9).monitor(f).to(Sink.list()))
    run.result(SECONDS)
    (details,) = [stage.details for stage in run.snapshot().stages if stage.name == "monitor"]
    assert (details["state"], details["elements"]) == ("completed", 9)
    assert details["seconds"] >= 0


# Arguments


@pytest.mark.parametrize(
    "kind",
    [
        "debounce", "sample", "delay", "take_within", "skip_within", "initial_timeout",
        "idle_timeout", "completion_timeout", "backpressure_timeout",
    ],
)  # fmt: skip
def test_seconds_are_numbers_above_zero(kind):
    for wrong in (0, -1, float("nan")):
        with pytest.raises(InvalidArgumentError, match=f"{kind}: .* must be above 0"):
            getattr(Flow(), kind)(wrong)
    for wrong in (float("inf"), 10**400, 10**5000):
        with pytest.raises(InvalidArgumentError, match=f"{kind}: .* must be a finite number, got"):
            getattr(Flow(), kind)(wrong)
    with pytest.raises(TypeError, match=f"{kind}: .* must be a number"):
        getattr(Flow(), kind)("1")


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: Source.tick(0), InvalidArgumentError, "tick: interval"),
        (lambda: Source.timer("x"), TypeError, "timer: delay"),
        (lambda: Flow().keep_alive(0, 1), InvalidArgumentError, "keep_alive: interval"),
        (lambda: Flow().throttle(0), InvalidArgumentError, "n must be above 0"),
        (lambda: Flow().throttle(1, per=-1), InvalidArgumentError, "per must be above 0"),
        (lambda: Flow().throttle(1, cost=1), TypeError, "throttle: cost"),
        (
            lambda: Flow().throttle(RateLimit(1), 2),
            InvalidArgumentError,
            "the RateLimit has its own",
        ),
        (lambda: Flow().buffer(0), InvalidArgumentError, "buffer: n"),
        (lambda: Flow().buffer(1, "drop"), InvalidArgumentError, "drop_oldest"),
        (lambda: Flow().buffer(1, dead_letters=True), InvalidArgumentError, "backpressure"),
        (lambda: Flow().buffer(1, "fail", dead_letters=1), TypeError, "dead_letters"),
        (lambda: Flow().conflate(1, max), TypeError, "conflate: seed"),
        (lambda: Flow().conflate(id, 1), TypeError, "conflate: f"),
        (lambda: Flow().expand(None), TypeError, "expand: f"),
        (lambda: Flow().recover(1), TypeError, "recover: f"),
        (lambda: Flow().recover_with(1), TypeError, "recover_with"),
        (lambda: Flow().recover_with(Flow()), GraphError, "recover_with"),
        (lambda: Flow().recover_with(Source.of(1), 0), InvalidArgumentError, "attempts"),
        (lambda: Flow().map_error(1), TypeError, "map_error: f"),
        (lambda: Flow().map(id).retry(), GraphError, "got 'map'"),
        (lambda: Flow().retry(), GraphError, "retry"),
        (lambda: Flow().map_async(id, 1).retry(0.1), TypeError, "backoff must be a Backoff"),
        (lambda: Flow().map_async(id, 1).retry(max_attempts=0), InvalidArgumentError, "max_att"),
        (lambda: Flow().map_async(id, 1).retry(budget=3), TypeError, "budget"),
        (lambda: Flow().map_async(id, 1).retry(when=3), TypeError, "when"),
        (lambda: Flow().kill_switch(1), TypeError, "needs a KillSwitch"),
        (lambda: Flow().on_termination(1), TypeError, "on_termination: f"),
        (lambda: Flow().monitor(1), TypeError, "monitor: f"),
        (lambda: Flow().monitor(id, 0), InvalidArgumentError, "monitor: every"),
    ],
)
def test_wrong_arguments_are_refused_when_the_blueprint_is_built(build, error, message):
    with pytest.raises(error, match=message):
        build()
