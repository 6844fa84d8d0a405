"""A run that is to end does so for its caller within the grace, whoever is in which call."""

import asyncio
import threading

import pytest

from actors_rs import ActorSystem, Graph, Sink, Source
from actors_rs.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    RunCancelled,
    StageError,
    StreamTimeoutError,
)
from actors_rs.runtime._primitives import monotonic
from tests.graph.stuck import FAR_BELOW_A_CALL, GRACE, Stuck, letters, stuck_system
from tests.runtime.support import eventually, raises_at_the_end

LATE = "the call returned after its stage was abandoned"


def stuck_stages(stuck):
    """Graphs with a stage that is in ``stuck``, by what kind of call that is."""
    numbers = Source.range(0, 3)
    return {
        "iterator": Source.from_iterable(stuck.iterator).to(Sink.list()),
        "map": numbers.map(stuck).to(Sink.list()),
        "pinned": numbers.map(stuck).with_attributes(dispatcher="pinned").to(Sink.list()),
        "filter": numbers.filter(stuck).to(Sink.list()),
        "scan": numbers.scan(0, lambda _, x: stuck(x)).to(Sink.list()),
        "flat_map": numbers.flat_map(lambda x: [stuck(x)]).to(Sink.list()),
        "inner stream": numbers.flat_map(lambda x: Source.of(x).map(stuck)).to(Sink.list()),
        "inner iterator": Source.of(1)
        .flat_map(lambda _: Source.from_iterable(stuck.iterator), breadth=2)
        .to(Sink.list()),
        "key of group_by": numbers.group_by(stuck, 10).flat_map(lambda g: g).to(Sink.list()),
        "for_each": numbers.to(Sink.for_each(stuck)),
        "fold": numbers.to(Sink.fold(0, lambda _, x: stuck(x))),
        "unfold": Source.unfold(1, stuck).to(Sink.list()),
        "unfold_resource": Source.unfold_resource(lambda: 1, stuck, id).to(Sink.list()),
        "fused": Graph(numbers.map(stuck).filter(bool).to(Sink.list())).fuse(),
        "map_async": numbers.map_async(stuck, 2).to(Sink.list()),
    }


KINDS = list(stuck_stages(Stuck()))
OPERATIONS = {
    "cancel": lambda run: run.cancel(),
    "abort": lambda run: run.abort(KeyError("mine")),
}
EXPECTED = {"cancel": RunCancelled, "abort": KeyError}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", OPERATIONS)
def test_a_run_ends_within_the_grace_though_a_call_does_not_return(kind, how):
    stuck = Stuck()
    with stuck_system(stuck) as system:
        run = system.start(stuck_stages(stuck)[kind])
        assert stuck.begun.wait(20)
        began = monotonic()
        OPERATIONS[how](run)
        with pytest.raises(EXPECTED[how]):
            run.result(60)
        assert monotonic() - began < FAR_BELOW_A_CALL
        eventually(lambda: system.statistics().abandoned)
        before = list(stuck.calls)
        stuck.release()
        eventually(lambda: letters(system, LATE))
        assert all("stage" in letter.where for letter in letters(system, LATE))
    assert stuck.calls == before  # the stage does no more work


def test_a_run_that_is_cancelled_while_a_resource_is_released_does_not_wait_for_that():
    stuck = Stuck()
    with stuck_system(stuck) as system:
        source = Source.unfold_resource(lambda: 1, stuck.reads, stuck)
        run = system.start(source.to(Sink.ignore()))
        assert stuck.reading.wait(20)
        run.drain()
        assert stuck.begun.wait(20)
        assert not run.wait(0.1)
        run.cancel()
        assert run.wait(FAR_BELOW_A_CALL)
        assert system.statistics().abandoned == 1


def test_the_default_grace_is_that_of_the_system_and_a_run_may_have_its_own():
    stuck = Stuck()
    with stuck_system(stuck, grace=1000.0) as system:
        run = system.start(Source.of(1).map(stuck).to(Sink.list()))
        assert stuck.begun.wait(20)
        run.cancel()
        run.cancel(grace=0.0)  # the shorter one counts
        with pytest.raises(RunCancelled):
            run.result(60)
        run = system.start(Source.of(1).map(stuck).to(Sink.list()))
        eventually(lambda: len(stuck.calls) == 2)
        run.cancel(0.05)
        run.cancel(1000.0)
        with pytest.raises(RunCancelled):
            run.result(60)


@pytest.mark.parametrize("grace", [-1, float("nan")])
def test_a_grace_is_no_time_below_zero(grace):
    with pytest.raises(InvalidArgumentError, match="cancel_grace must be"):
        ActorSystem(cancel_grace=grace)
    with ActorSystem() as system:
        run = system.start(Source.of(1).to(Sink.list()))
        with pytest.raises(InvalidArgumentError, match="grace must be"):
            run.cancel(grace)
        with pytest.raises(ArgumentTypeError, match="grace must be"):
            run.cancel("soon")  # type: ignore[arg-type]


def test_a_call_that_returns_within_the_grace_is_no_news(caplog):
    stuck = Stuck()
    with stuck_system(stuck, grace=1000.0) as system:
        run = system.start(Source.of(1).map(stuck).to(Sink.list()))
        assert stuck.begun.wait(20)
        run.cancel()
        stuck.release()
        assert run.wait(60)
        assert system.statistics().abandoned == 0
        assert not system.dead_letters.total
    assert "abandoned" not in caplog.text


def test_a_block_left_by_an_exception_waits_for_the_grace_at_most():
    stuck = Stuck()
    began = monotonic()
    with raises_at_the_end(ValueError, match="mine"), stuck_system(stuck) as system:
        system.start(Source.from_iterable(stuck.iterator).to(Sink.list()))
        assert stuck.begun.wait(20)
        raise ValueError("mine")
    assert monotonic() - began < FAR_BELOW_A_CALL


@pytest.mark.parametrize(
    "timeout",
    [
        lambda flow: flow.idle_timeout(0.05),
        lambda flow: flow.completion_timeout(0.05),
        lambda flow: flow.initial_timeout(0.05),
    ],
    ids=["idle", "completion", "initial"],
)
def test_a_timeout_ends_the_run_within_the_grace_over_a_call_that_does_not_return(timeout):
    stuck = Stuck()
    with stuck_system(stuck) as system:
        run = system.start(timeout(Source.of(1).map(stuck)).to(Sink.list()))
        began = monotonic()
        with pytest.raises(StreamTimeoutError):
            run.result(60)
        assert monotonic() - began < FAR_BELOW_A_CALL


def fails(element):
    raise ValueError(element)


def failing_graphs(stuck):
    """A stage is stuck: behind the failing one, beside it, and before it."""
    first, second = Source.range(0, 5).broadcast(2)
    return {
        "behind": Source.range(0, 2)
        .map(lambda x: x if not x else fails(x))
        .map(stuck)
        .to(Sink.list()),
        "beside": Graph(
            first.map(stuck).to(Sink.list()),
            second.map(lambda x: stuck.begun.wait(20) and fails(x)).to(Sink.list()),
        ),
        "merged": Source.from_iterable(stuck.iterator)
        .merge(Source.of(1).map(lambda x: stuck.begun.wait(20) and fails(x)))
        .to(Sink.list()),
        "before": Source.from_iterable(stuck.iterator)
        .map(lambda x: stuck.begun.wait(20) and fails(x))
        .to(Sink.list()),
        "sink": Graph(
            first.map(stuck).to(Sink.list()),
            second.to(Sink.for_each(lambda x: stuck.begun.wait(20) and fails(x))),
        ),
    }


@pytest.mark.parametrize("where", list(failing_graphs(Stuck())))
def test_a_failure_ends_the_run_within_the_grace(where):
    stuck = Stuck()
    with stuck_system(stuck) as system:
        run = system.start(failing_graphs(stuck)[where])
        with pytest.raises(StageError, match="ValueError"):
            run.result(FAR_BELOW_A_CALL)


def test_what_came_before_a_failure_is_delivered_however_long_that_takes_in_short_calls():
    pause = threading.Event()
    seen = []

    def slowly(element):
        pause.wait(0.01)
        seen.append(element)

    with ActorSystem(cancel_grace=1.0) as system:
        failing = Source.range(0, 151).map(lambda x: x if x < 150 else fails(x))
        run = system.start(failing.to(Sink.for_each(slowly)))
        with pytest.raises(StageError):
            run.result(60)
        assert system.statistics().abandoned == 0
    assert seen == list(range(150))


def test_a_failure_that_is_recovered_from_gives_nobody_up():
    stuck = Stuck()
    with stuck_system(stuck, grace=0.01) as system:
        failing = Source.range(0, 2).map(lambda x: x if not x else fails(x))
        run = system.start(failing.map(stuck).recover(lambda error: "recovered").to(Sink.list()))
        assert stuck.begun.wait(20)
        assert not run.wait(0.1)
        stuck.release()
        assert run.result(60) == [0, "recovered"]
        assert system.statistics().abandoned == 0


def test_a_run_whose_sinks_have_all_they_need_does_not_wait_for_a_source_that_is_stuck():
    stuck = Stuck()
    with stuck_system(stuck) as system:
        run = system.start(Source.from_iterable(stuck.iterator).take(1).to(Sink.list()))
        assert run.result(FAR_BELOW_A_CALL) == [1]


def test_a_run_that_completes_waits_for_the_release_of_what_it_has_opened():
    stuck = Stuck()
    with stuck_system(stuck, grace=0.01) as system:
        given = iter([1, None])
        source = Source.unfold_resource(lambda: 1, lambda _: next(given), stuck)
        run = system.start(source.to(Sink.list()))
        assert stuck.begun.wait(20)
        assert not run.wait(0.1)
        stuck.release()
        assert run.result(60) == [1]


def test_one_line_of_the_log_names_stage_site_function_and_seconds(caplog):
    stuck = Stuck()

    def fetch(element):
        stuck(element)

    with stuck_system(stuck) as system:
        run = system.start(Source.of(1).map(fetch).named("download").to(Sink.list()))
        assert stuck.begun.wait(20)
        run.cancel()
        assert run.wait(60)
    (line,) = [
        r
        for r in caplog.records
        if "is abandoned" in r.message and r.levelname == "WARNING" and r.name == "actors_rs.stages"
    ]
    assert "stage 'download'" in line.message
    assert f"({__file__}:" in line.message
    assert "line_of_the_log_names" in line.message
    assert ".fetch (" in line.message
    assert " for 0." in line.message


def test_a_function_in_c_is_named_as_well(caplog):
    stuck = Stuck()
    lock = threading.Lock()
    with stuck_system(stuck) as system, lock:
        run = system.start(Source.of(True).map(lock.acquire).to(Sink.list()))
        eventually(lambda: run.snapshot().stages[1].elements_in)
        run.cancel()
        assert run.wait(60)
    assert "acquire" in caplog.text


def test_an_abandoned_thread_is_replaced_and_takes_nothing_more():
    stuck = Stuck()
    with stuck_system(stuck, workers=1, max_workers=1) as system:
        run = system.start(Source.of(1).map(stuck).to(Sink.list()))
        assert stuck.begun.wait(20)
        run.cancel()
        assert run.wait(60)
        names = []
        quick = Source.range(0, 50).map(lambda _: names.append(threading.current_thread().name))
        assert system.start(quick.to(Sink.count())).result(60) == 50
        (thread,) = stuck.threads
        assert thread.name not in names
        assert thread.daemon
        stuck.release()
        eventually(lambda: not thread.is_alive())
        assert system.statistics().workers == 1
        assert system.statistics().abandoned == 1


def test_what_the_call_gives_or_raises_later_is_a_dead_letter_of_the_stage():
    for then, seen in ((lambda x: "late", "late"), (fails, None)):
        stuck = Stuck(then=then)
        with stuck_system(stuck) as system:
            run = system.start(Source.of(1).map(stuck).named("slow").to(Sink.list()))
            assert stuck.begun.wait(20)
            run.cancel()
            assert run.wait(60)
            stuck.release()
            eventually(lambda: letters(system, LATE))
            (letter,) = letters(system, LATE)
            assert letter.where == "stage 'slow'"
            assert letter.what == seen
            assert (letter.error is None) == (then is not fails)
            assert letter.error is None or isinstance(letter.error.__cause__, ValueError)
        assert run.state == "cancelled"


def test_a_coroutine_that_swallows_its_cancellation_is_given_up_and_the_system_ends(caplog):
    stuck = Stuck()

    async def stubborn(element):
        stuck.begun.set()
        for _ in range(100):
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                continue

    with stuck_system(stuck) as system:
        run = system.start(Source.of(1).map_async(stubborn, 1).to(Sink.list()))
        assert stuck.begun.wait(20)
        run.cancel()
        with pytest.raises(RunCancelled):
            run.result(FAR_BELOW_A_CALL)
        eventually(lambda: system.statistics().abandoned == 1)
        began = monotonic()
    assert monotonic() - began < FAR_BELOW_A_CALL
    assert "stubborn" in caplog.text
    assert "still busy" not in caplog.text


def test_the_end_of_a_system_does_not_wait_for_a_call_of_map_async_that_was_given_up(caplog):
    stuck = Stuck()
    with stuck_system(stuck) as system:
        run = system.start(Source.of(1).map_async(stuck, 1).to(Sink.list()))
        assert stuck.begun.wait(20)
        run.cancel()
        assert run.wait(60)
        began = monotonic()
    assert monotonic() - began < FAR_BELOW_A_CALL
    assert "still busy" not in caplog.text
    assert system.statistics().abandoned == 1


@pytest.mark.parametrize("grace", [GRACE])
def test_a_system_on_the_calling_thread_lets_others_know_of_the_end(grace):
    stuck = Stuck()
    runs = []
    with stuck_system(stuck, grace=grace, dispatcher="calling_thread") as system:
        hub_graph = Source.queue(10).map(stuck).to(Sink.list())
        run = system.start(hub_graph)
        producer = threading.Thread(target=lambda: run.queue().offer(1), daemon=True)
        producer.start()
        assert stuck.begun.wait(20)
        run.cancel()
        runs.append(run.wait(60))
        stuck.release()
        producer.join(20)
        eventually(lambda: letters(system, LATE))
    assert runs == [True]
    assert run.state == "cancelled"
