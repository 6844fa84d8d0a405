# mypy: disable-error-code="var-annotated, attr-defined, operator, func-returns-value"
"""Acknowledgements travel with elements: what a graph does with one decides when it is done."""

import pickle
import sqlite3
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from actors_rs import ActorSystem, Flow, Graph, Sink, Source, merge
from actors_rs.delivery import Disposition, acknowledged
from actors_rs.errors import GraphError, StageError
from tests.graph.helpers import SECONDS

DELIVERED, FILTERED, DEAD = Disposition.DELIVERED, Disposition.FILTERED, Disposition.DEAD_LETTERED


def numbers(acks, count=100):
    return acknowledged(Source.range(0, count), acks)


def run(system, graph):
    return system.start(graph).result(SECONDS)


ENDED = {
    "map": lambda s, f: s.map(f),
    "filter": lambda s, f: s.filter(lambda n: f(n) is not None),
    "scan": lambda s, f: s.scan(0, lambda _, n: f(n)),
    "distinct": lambda s, f: s.distinct(key=f),
    "distinct_until_changed": lambda s, f: s.distinct_until_changed(key=f),
    "map_not_none": lambda s, f: s.map_not_none(f),
    "flat_map": lambda s, f: s.flat_map(lambda n: [f(n)]),
    "fused": lambda s, f: s.map(lambda n: n).filter(lambda n: f(n) is not None).fuse(),
}


@pytest.mark.parametrize("name", ENDED)
def test_elements_of_many_chunks_are_acknowledged_once_and_not_before_they_are_done(
    system, acks, name
):
    early, seen, handled = [], [], []

    def f(n):
        seen.append(n)
        return n

    def taken(n):
        early.extend([n] if n in acks.got else [])
        handled.append(n)

    run(system, ENDED[name](numbers(acks, 2_000), f).to(Sink.for_each(taken)))
    assert seen == handled == list(range(2_000))
    assert early == []
    assert acks.got == {n: {DELIVERED: 1} for n in range(2_000)}


LEAVING_OUT = {
    "filter": lambda s: s.filter(lambda n: n % 2),
    "distinct": lambda s: s.distinct(key=lambda n: (n + 1) // 2),
    "distinct_until_changed": lambda s: s.distinct_until_changed(key=lambda n: (n + 1) // 2),
    "map_not_none": lambda s: s.map_not_none(lambda n: n if n % 2 else None),
}


@pytest.mark.parametrize("name", LEAVING_OUT)
def test_an_element_that_meets_the_last_demand_of_its_turn_is_acknowledged(system, acks, name):
    source = acknowledged(Source.range(0, 200).with_attributes(window=64), acks)
    sink = Sink.for_each(lambda n: None).with_attributes(window=1)
    run(system, LEAVING_OUT[name](source).to(sink))
    assert acks.got.keys() == set(range(200)), "an operator that has enough asks for no more"


def test_an_element_is_acknowledged_when_the_sink_has_taken_it(system, acks):
    assert run(system, numbers(acks).map(lambda n: 2 * n).to(Sink.sum())) == 9900
    assert acks.got == {n: {DELIVERED: 1} for n in range(100)}


def test_an_element_that_is_filtered_out_is_acknowledged_as_such(system, acks):
    run(system, numbers(acks).filter(lambda n: n % 2).to(Sink.count()))
    assert acks.got == {n: {DELIVERED if n % 2 else FILTERED: 1} for n in range(100)}


def test_an_element_that_becomes_several_is_acknowledged_when_all_of_them_are(system, acks):
    result = run(system, numbers(acks, 20).flat_map(lambda n: [n] * (n % 4)).to(Sink.list()))
    assert result == [n for n in range(20) for _ in range(n % 4)]
    assert acks.got == {n: {DELIVERED: n % 4} if n % 4 else {FILTERED: 1} for n in range(20)}


def test_an_element_of_a_broadcast_is_acknowledged_when_all_branches_have(system, acks):
    one, other = numbers(acks, 30).broadcast(2)
    graph = Graph(one.to(Sink.count()), other.filter(lambda n: n < 10).to(Sink.list()))
    assert run(system, graph) == (30, list(range(10)))
    assert acks.got == {
        n: {DELIVERED: 2} if n < 10 else {DELIVERED: 1, FILTERED: 1} for n in range(30)
    }


def test_a_branch_that_waits_keeps_an_element_unacknowledged(acks):
    go_on = threading.Event()

    def wait(n):
        assert go_on.wait(SECONDS)

    with ActorSystem(workers=4, shutdown_timeout=SECONDS) as system:
        one, other = numbers(acks, 5).broadcast(2)
        seen = threading.Event()
        graph = Graph(
            one.to(Sink.for_each(lambda n: n == 4 and seen.set())), other.to(Sink.for_each(wait))
        )
        running = system.start(graph)
        assert seen.wait(SECONDS)
        assert acks.got == {}
        go_on.set()
        running.result(SECONDS)
    assert acks.got == {n: {DELIVERED: 2} for n in range(5)}


@pytest.mark.parametrize("split", ["partition", "balance"])
def test_an_element_that_goes_one_way_of_several_is_acknowledged_there(system, acks, split):
    flow = numbers(acks)
    one, other = flow.partition(2, lambda n: n % 2) if split == "partition" else flow.balance(2)
    assert sorted(run(system, merge(one, other.map(lambda n: n)).to(Sink.list()))) == list(
        range(100)
    )
    assert acks.got == {n: {DELIVERED: 1} for n in range(100)}


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("kind", ["value", "coroutine", "future", "awaitable"])
def test_results_of_map_async_keep_the_token_of_their_element(system, acks, kind, ordered):
    async def later(n):
        return n + 1

    with ThreadPoolExecutor(2) as executor:
        f = {
            "value": lambda n: n + 1,
            "coroutine": later,
            "future": lambda n: executor.submit(lambda: n + 1),
            "awaitable": lambda n: system.start(Source.of(n + 1).to(Sink.first())),
        }[kind]
        flow = numbers(acks, 50).map_async(f, parallelism=4, ordered=ordered)
        assert run(system, flow.to(Sink.sum())) == sum(range(1, 51))
    assert acks.got == {n: {DELIVERED: 1} for n in range(50)}


def test_results_of_worker_processes_keep_the_token_of_their_element(system, acks):
    flow = numbers(acks, 50).map_processes(lambda n: 10 // (n % 10), 2).on_failure("resume")
    assert run(system, flow.to(Sink.count())) == 45
    assert acks.got == {n: {DELIVERED if n % 10 else DEAD: 1} for n in range(50)}


@pytest.mark.parametrize("where", ["value", "coroutine", "executor", "by key", "processes"])
def test_what_is_given_instead_of_an_element_keeps_its_token(system, acks, where):
    async def later(n):
        return picky(n)

    def fallback(n, error):
        return f"{n}: {error}"  # of the value, and what its call raised

    with Elsewhere(2) as pool:
        flow = {
            "value": lambda s: s.map_async(picky, 4, fallback=fallback),
            "coroutine": lambda s: s.map_async(later, 4, fallback=fallback),
            "executor": lambda s: s.map_async(picky, 4, executor=pool, fallback=fallback),
            "by key": lambda s: s.map_async(picky, 4, key=lambda n: 0, fallback=fallback),
            "processes": lambda s: s.map_processes(picky, 1, fallback=fallback),
        }[where](numbers(acks, 20))
        expected = [f"{n}: {n}" if n % 10 == 7 else n for n in range(20)]
        assert run(system, flow.to(Sink.list())) == expected
    assert acks.got == {n: {DELIVERED: 1} for n in range(20)}


def test_an_element_for_which_nothing_is_given_instead_is_acknowledged_as_dead(system, acks):
    flow = numbers(acks, 20).map_async(picky, 4, fallback=lambda n, error: 1 / 0)
    run(system, flow.on_failure("resume").to(Sink.count()))
    assert acks.got == {n: {DEAD if n % 10 == 7 else DELIVERED: 1} for n in range(20)}
    assert [letter.what for letter in system.dead_letters.recent()] == [7, 17]


def test_results_of_an_element_in_a_worker_process_share_its_token(system, acks):
    flow = numbers(acks, 50).flat_map_processes(lambda n: [n] * (n % 3), 2)
    assert run(system, flow.to(Sink.count())) == 49
    assert acks.got == {n: {DELIVERED: n % 3} if n % 3 else {FILTERED: 1} for n in range(50)}


def more(n):
    return n + 1


async def more_later(n):
    return n + 1


def more_in_time(n):
    return more_later(n)


def more_in_future(n):
    future = Future()
    future.set_result(n + 1)
    return future


class Elsewhere(ThreadPoolExecutor):
    """As a process pool does, it takes what can be pickled and nothing else."""

    def submit(self, f, *args):  # type: ignore[override]
        return super().submit(*pickle.loads(pickle.dumps((f, *args))))


@pytest.mark.parametrize("f", [more, more_in_time, more_in_future])
def test_an_executor_of_the_users_is_given_the_function_and_the_value_alone(system, acks, f):
    with Elsewhere(2) as executor:
        flow = numbers(acks, 50).map_async(f, parallelism=4, executor=executor)
        assert run(system, flow.to(Sink.list())) == list(range(1, 51))
    assert acks.got == {n: {DELIVERED: 1} for n in range(50)}


def test_members_of_a_batch_are_acknowledged_with_it(acks):
    """The parts of one element may share a batch, units never do."""
    flow = acknowledged(Source.range(1, 4), acks).flat_map(lambda n: [n] * n)
    batches = [[1], [2, 2], [3, 3], [3], [4, 4], [4, 4]]
    with ActorSystem(workers=2) as system:
        assert run(system, flow.batch(2).to(Sink.list())) == batches
    assert acks.got == {n: {DELIVERED: n} for n in range(1, 5)}


def test_members_of_a_batch_by_weight_are_acknowledged_with_it(acks):
    def weigh(n):
        return picky(n) and 1

    flow = acknowledged(Source.range(1, 7), acks).flat_map(lambda n: [n] * 3)
    batches = flow.batch(weight=weigh, max_weight=2).on_failure("resume")
    with ActorSystem(workers=2) as system:
        got = run(system, batches.to(Sink.list()))
    assert got == [part for n in range(1, 7) for part in ([n, n], [n])]
    assert acks.got == {n: {DEAD if n == 7 else DELIVERED: 3} for n in range(1, 8)}


def picky(n):
    if n % 10 == 7:
        raise ValueError(n)
    return n


@pytest.mark.parametrize("stage", ["map", "map_async", "partition", "for_each"])
def test_an_element_that_fails_and_is_passed_over_is_acknowledged_as_dead(system, acks, stage):
    flow = numbers(acks)
    graph = {
        "map": lambda: flow.map(picky).on_failure("resume").to(Sink.count()),
        "map_async": lambda: flow.map_async(picky, 3).on_failure("resume").to(Sink.count()),
        "partition": lambda: flow.via(Flow().filter(lambda n: True)).to(
            Sink.for_each(picky).on_failure("resume")
        ),
        "for_each": lambda: flow.to(Sink.for_each(picky).on_failure("resume")),
    }[stage]()
    run(system, graph)
    assert acks.got == {n: {DEAD if n % 10 == 7 else DELIVERED: 1} for n in range(100)}
    letters = [letter.what for letter in system.dead_letters.recent()]
    assert letters == [n for n in range(100) if n % 10 == 7], "values, not tokens"


def test_a_decider_sees_the_value(system, acks):
    seen = []

    def decide(error, element):
        seen.append(element)
        return "resume"

    run(system, numbers(acks, 10).map(picky).on_failure(decider=decide).to(Sink.count()))
    assert seen == [7]


def test_a_failed_run_acknowledges_nothing_from_the_failing_element_on(system, acks):
    with pytest.raises(StageError) as caught:
        run(system, numbers(acks).map(picky).to(Sink.count()))
    assert isinstance(caught.value.__cause__, ValueError)
    assert not acks.got.keys() & set(range(7, 100))


def refusing(element, outcomes):
    if element == 3:
        raise OSError("no connection")


@pytest.mark.parametrize("size", [4, 5, 100_000])
@pytest.mark.parametrize("fused", [False, True])
def test_an_acknowledgement_that_raises_fails_the_run(system, size, fused):
    flow = acknowledged(Source.range(0, size), refusing).map(str)
    going = system.start((flow.fuse() if fused else flow).to(Sink.count()))
    with pytest.raises(StageError, match="stage 'acknowledged' failed: OSError") as caught:
        going.result(SECONDS)
    assert isinstance(caught.value.__cause__, OSError)
    (letter,) = system.dead_letters.recent()
    assert (letter.what, letter.why) == (3, "ack raised")


def test_an_acknowledgement_that_raises_after_a_commit_fails_the_run(system, tmp_path):
    sink = Sink.sqlite(tmp_path / "a.db", "INSERT INTO t VALUES (?)", setup="CREATE TABLE t (n)")
    flow = acknowledged(Source.range(0, 4), refusing).map(lambda n: (n,))
    with pytest.raises(StageError, match="stage 'acknowledged' failed: OSError"):
        run(system, flow.to(sink))


def test_with_skip_an_acknowledgement_that_raises_is_a_dead_letter_and_counted(system):
    flow = acknowledged(Source.range(0, 10), refusing, on_failed_ack="skip")
    going = system.start(flow.to(Sink.count()))
    assert going.result(SECONDS) == 10
    (letter,) = system.dead_letters.recent()
    assert (letter.what, letter.why) == (3, "ack raised")
    assert [stage.details.get("failed_acks") for stage in going.snapshot().stages] == [
        None,
        1,
        None,
    ]


def test_a_policy_for_acknowledgements_that_does_not_exist_is_refused():
    wrong: Any = "ignore"
    with pytest.raises(ValueError, match="acknowledged: on_failed_ack must be one of"):
        acknowledged(Source.of(1), refusing, on_failed_ack=wrong)


def test_rows_are_acknowledged_when_their_transaction_is_committed(system, tmp_path):
    path, missing = tmp_path / "rows.db", []

    def ack(n, outcomes):
        with sqlite3.connect(path) as database:
            found = database.execute("SELECT count(*) FROM t WHERE n = ?", (n,)).fetchone()
        database.close()
        if found != (1,):
            missing.append(n)

    sink = Sink.sqlite(path, "INSERT INTO t VALUES (?)", setup="CREATE TABLE t (n INTEGER)")
    flow = acknowledged(Source.range(0, 20), ack).map(lambda n: (n,))
    assert run(system, flow.to(sink)) == 20
    assert missing == []


@pytest.mark.parametrize(
    "refused",
    [
        lambda flow: flow.sliding(2),
        lambda flow: flow.take(3),
        lambda flow: flow.sort_within(3),
        lambda flow: flow.concat(Source.of(3)),
    ],
)
def test_a_stage_that_cannot_keep_count_is_refused_when_the_graph_is_built(acks, refused):
    with pytest.raises(GraphError, match=r"stage '\w+' \(made at .*test_acknowledged.py:\d+\)"):
        refused(numbers(acks)).to(Sink.count())


def test_a_junction_of_acknowledged_and_other_streams_is_refused(acks):
    with pytest.raises(GraphError, match="acknowledge all of its streams or none"):
        merge(numbers(acks), Source.range(0, 3)).to(Sink.count())


def test_the_same_graph_acknowledges_anew_in_each_run(acks):
    graph = numbers(acks, 5).to(Sink.count())
    for _ in range(2):
        graph.run()
        assert len(acks.got) == 5
        acks.got.clear()


@pytest.mark.parametrize(("flow", "ack"), [(7, print), (Source.range(0, 1), "print")])
def test_a_bad_argument_is_refused_at_once(flow, ack):
    with pytest.raises(TypeError, match="acknowledged: "):
        acknowledged(flow, ack)


@pytest.mark.parametrize(
    "through",
    [
        lambda flow: flow.map(lambda n: n),
        lambda flow: flow.filter(lambda n: True),
        lambda flow: flow.scan(0, lambda _, n: n),
        lambda flow: flow.flat_map(lambda n: [n]),
    ],
    ids=["map", "filter", "scan", "flat_map"],
)
def test_the_last_element_is_acknowledged_too_when_demand_ends_with_it(acks, through):
    flow = acknowledged(Source.range(0, 20), acks)
    sink = Sink.for_each(lambda n: None).with_attributes(window=1)  # asks for one at a time
    with ActorSystem(workers=1) as system:
        run(system, through(flow).with_attributes(window=8).to(sink))
    assert sorted(acks.got) == list(range(20))
