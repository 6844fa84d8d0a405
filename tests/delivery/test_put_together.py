# mypy: disable-error-code="var-annotated, attr-defined, operator, func-returns-value"
"""Acknowledgements through stages that consist of several: fused operators and ``Sink.fan``."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.delivery import acknowledged
from actors_rs.delivery.carrying.envelope_rules import RESUMABLE
from actors_rs.errors import GraphError, StageError
from actors_rs.graph.spec import OutletRef
from tests.delivery.test_acknowledged import DEAD, DELIVERED, FILTERED, numbers, picky, run
from tests.graph.helpers import SECONDS


@pytest.fixture(params=[1, 4096])
def system(request):
    with ActorSystem(workers=2, window=request.param, shutdown_timeout=SECONDS) as system:
        yield system


def is_even(n):
    return n % 2 == 0


def one_more(n):
    return n + 1


# fused operators


def test_fused_operators_hand_the_acknowledgement_on(system, acks):
    flow = numbers(acks).map(one_more).filter(is_even).map(str).with_index().fuse()
    result = run(system, flow.to(Sink.list()))
    assert result == [(i, str(n)) for i, n in enumerate(range(2, 101, 2))]
    assert acks.got == {n: {FILTERED if is_even(n) else DELIVERED: 1} for n in range(100)}


def test_an_operator_that_gives_views_elsewhere_hands_on_the_acknowledgement_of_each(system, acks):
    result = run(system, numbers(acks).with_index(1).to(Sink.list()))
    assert result == list(enumerate(range(100), 1))
    assert acks.got == {n: {DELIVERED: 1} for n in range(100)}


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("policy", ["resume", "restart"])
def test_an_element_that_a_fused_operator_passes_over_is_dead_and_no_other(
    system, acks, policy, at
):
    flow = numbers(acks)
    for step in range(3):
        flow = flow.map(picky) if step == at else flow.map(abs)
    run(system, flow.fuse().on_failure(policy).to(Sink.count()))
    assert acks.got == {n: {DEAD if n % 10 == 7 else DELIVERED: 1} for n in range(100)}
    assert [letter.what for letter in system.dead_letters.recent()] == list(range(7, 100, 10))


def test_a_run_in_which_a_fused_operator_fails_acknowledges_nothing_from_there_on(system, acks):
    with pytest.raises(StageError):
        run(system, numbers(acks).map(abs).map(picky).fuse().to(Sink.count()))
    assert not acks.got.keys() & set(range(7, 100))


def test_a_fused_operator_that_cannot_keep_count_is_refused_by_its_name(acks):
    flow = numbers(acks).map(abs).sliding(2).named("pairs").map(len).fuse()
    with pytest.raises(GraphError, match=r"stage 'pairs' \(made at .*test_put_together.py:\d+\)"):
        flow.to(Sink.count())


# Sink.fan


def test_an_element_of_a_fan_is_acknowledged_when_all_sinks_have_taken_it(system, acks):
    seen = []

    def look(n):
        seen.append(n)
        assert n not in acks.got, "acknowledged before the last sink had it"

    fan = Sink.fan(Sink.sum(), Sink.fan(Sink.count(), Sink.list()), Sink.for_each(look))
    result = run(system, numbers(acks, 20).to(fan))
    assert result == (190, (20, list(range(20))), 20)
    assert seen == list(range(20))
    assert acks.got == {n: {DELIVERED: 4} for n in range(20)}


def test_a_sink_of_a_fan_that_passes_an_element_over_counts_for_itself(system, acks):
    fan = Sink.fan(Sink.count(), Sink.for_each(picky).on_failure("resume"))
    run(system, numbers(acks, 20).to(fan))
    bad = {7, 17}
    assert acks.got == {
        n: {DELIVERED: 1, DEAD: 1} if n in bad else {DELIVERED: 2} for n in range(20)
    }


def into(path, table):
    setup = f"CREATE TABLE IF NOT EXISTS {table} (n INTEGER)"
    return Sink.sqlite(path, f"INSERT INTO {table} VALUES (?)", setup=setup)


def rows(path, table):
    with closing(sqlite3.connect(path)) as database:
        return [n for (n,) in database.execute(f"SELECT n FROM {table} ORDER BY n")]


def test_each_sink_of_a_fan_commits_whole_units_before_they_are_acknowledged(
    system, acks, tmp_path
):
    path, missing = tmp_path / "rows.db", []

    def ack(n, outcomes):
        acks(n, outcomes)
        if n not in rows(path, "one") or n not in rows(path, "other"):
            missing.append(n)

    flow = acknowledged(Source.range(0, 20), ack).flat_map(lambda n: [(n,), (n,)])
    fan = Sink.fan(into(path, "one"), into(path, "other"), Sink.count())
    assert run(system, flow.to(fan)) == (40, 40, 40)
    assert rows(path, "one") == rows(path, "other") == sorted([*range(20)] * 2)
    assert missing == []
    assert acks.got == {n: {DELIVERED: 6} for n in range(20)}


def test_a_commit_that_fails_in_a_fan_fails_the_run_and_acknowledges_nothing(
    system, acks, tmp_path
):
    sink = Sink.sqlite(
        tmp_path / "rows.db",
        "INSERT INTO t VALUES (?)",
        setup="CREATE TABLE t (n INTEGER CHECK (n < 7))",
    )
    flow = numbers(acks, 20).map(lambda n: (n,))
    with pytest.raises(Exception, match=r"rows\.db"):
        run(system, flow.to(Sink.fan(Sink.count(), sink)))
    assert not acks.got.keys() & set(range(7, 20))
    assert rows(tmp_path / "rows.db", "t") == list(range(7))


def test_a_sink_of_a_fan_that_cannot_keep_count_is_refused_by_its_name(acks):
    fan = Sink.fan(Sink.count(), Sink.first().named("one"))
    with pytest.raises(GraphError, match=r"stage 'one' \(made at .*test_put_together.py:\d+\)"):
        numbers(acks).to(fan)


# stages that hand on what comes

HANDING_ON = {
    "buffer": lambda flow: flow.buffer(5),
    "completion_timeout": lambda flow: flow.completion_timeout(SECONDS),
    "delay": lambda flow: flow.delay(0.001),
    "monitor": lambda flow: flow.monitor(lambda state: None),
    "on_termination": lambda flow: flow.on_termination(lambda error: None),
    "throttle": lambda flow: flow.throttle(100_000, 1.0),
    "throttle by cost": lambda flow: flow.throttle(100_000, 1.0, cost=lambda n: n % 3),
}


@pytest.mark.parametrize("stage", HANDING_ON)
def test_a_stage_that_hands_on_what_comes_hands_on_its_acknowledgement(system, acks, stage):
    assert run(system, HANDING_ON[stage](numbers(acks, 30)).to(Sink.sum())) == sum(range(30))
    assert acks.got == {n: {DELIVERED: 1} for n in range(30)}


def test_what_distinct_drops_is_acknowledged_as_filtered(system, acks):
    flow = numbers(acks, 20).distinct(lambda n: n // 2).map(lambda n: n // 4)
    assert run(system, flow.distinct_until_changed().to(Sink.list())) == [0, 1, 2, 3, 4]
    assert acks.got == {n: {DELIVERED if n % 4 == 0 else FILTERED: 1} for n in range(20)}


def test_a_buffer_that_drops_is_refused(acks):
    with pytest.raises(GraphError, match="'buffer' drops elements without saying which"):
        numbers(acks).buffer(5, overflow="drop_oldest").to(Sink.count())


REFUSED = {
    "several units in one": [
        "sliding(2)",
        "reduce(0, max)",
        "sum()",
        "sort_within(3)",
        "zip(source)",
    ],
    "elements of their own": ["start_with(1)", "end_with(1)", "default_if_empty(1)"],
    "others in a resumed run": ["skip(1)", "skip_while(abs)", "take(1)", "take_while(abs)"],
    "others by the clock": ["sample(1.0)", "debounce(1.0)", "conflate(abs, max)"],
    "streams that begin later": [
        "switch_map(abs)",
        "group_by(abs, 9)",
        "flat_map(abs, breadth=2)",
        "catch(abs)",
        "recover_with(abs)",
    ],
}


@pytest.mark.parametrize("stage", [stage for stages in REFUSED.values() for stage in stages])
def test_what_the_page_on_delivery_calls_refused_is_refused(acks, stage):
    source = Source.range(0, 3)
    flow = eval(f"flow.{stage}", {"flow": numbers(acks), "source": source})
    with pytest.raises(GraphError, match="acknowledged"):
        flow.to(Sink.count())


@pytest.mark.parametrize("stage", ["recover(str)", "with_index()", "take(1)", "start_with(1)"])
def test_the_stream_that_the_function_of_flat_map_returns_may_have_any_stage(acks, stage):
    inner = eval(f"flow.{stage}", {"flow": Source.of(1)})
    assert numbers(acks).flat_map(lambda _: inner).run(Sink.count()) >= 1


def test_a_refusal_says_that_inner_streams_may_have_the_stage(acks):
    with pytest.raises(GraphError, match="allowed in a stream that the function of flat_map"):
        numbers(acks).recover(str).to(Sink.count())
    with pytest.raises(GraphError) as told:
        numbers(acks).to(Sink.first())
    assert "flat_map" not in str(told.value)


REMEMBERING = ["distinct()", "distinct_until_changed()", "scan(0, max)", "with_index()"]


@pytest.mark.parametrize("stage", REMEMBERING)
@pytest.mark.parametrize("fused", [False, True])
def test_what_remembers_elements_is_refused_where_they_may_be_taken_back(acks, stage, fused):
    spec = replace(numbers(acks)._out.spec, envelopes=RESUMABLE)
    flow = eval(f"flow.{stage}.map(str)", {"flow": Flow(OutletRef(spec))})
    with pytest.raises(GraphError, match=r"'\w+' remembers earlier ones, .* page 'Delivery'"):
        (flow.fuse() if fused else flow).to(Sink.count())


@pytest.mark.parametrize("first", [True, False])
def test_streams_that_may_be_taken_back_and_others_are_merged_and_the_stricter_rule_holds(
    system, acks, first
):
    plain = acknowledged(Source.range(0, 100), lambda n, outcomes: None)
    resumed = Flow(OutletRef(replace(numbers(acks)._out.spec, envelopes=RESUMABLE)))
    both = plain.merge(resumed) if first else resumed.merge(plain)
    with pytest.raises(GraphError, match="remembers earlier ones"):
        both.distinct().to(Sink.count())
    assert sorted(run(system, both.to(Sink.list()))) == sorted(2 * list(range(100)))
