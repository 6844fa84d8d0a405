# mypy: disable-error-code="var-annotated, union-attr, attr-defined"
"""Exploration: what is found, how it is shown, and how it is made again."""

import inspect
import json
import os
import re
import threading
import time
from datetime import datetime
from weakref import ref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors_rs import Sink, Source, merge
from actors_rs.errors import (
    InvalidArgumentError,
    Stalled,
    WorldError,
)
from actors_rs.testing.explore import (
    BoundedDfs,
    Plan,
    Trace,
    check_scenario,
    explore,
    replay,
    search,
)
from actors_rs.testing.explore.settings import SETTINGS, Tally
from actors_rs.testing.explore.traces import add_schedule, load_schedules

pytestmark = pytest.mark.usefixtures("by_itself")


def in_source_order(world):
    both = merge(Source.range(0, 2).map(lambda x: x), Source.range(10, 2).map(lambda x: x))
    assert world.start(both.to(Sink.list())).result() == [0, 1, 10, 11]


def fine(world):
    assert world.start(Source.range(0, 3).to(Sink.list())).result() == [0, 1, 2]


@pytest.mark.parametrize("strategy", ["random", "pct", "dfs"])
def test_each_strategy_finds_an_order_that_breaks_the_promise(strategy):
    found = search(in_source_order, Plan(runs=500, portfolio=(strategy,)))
    assert isinstance(found.failure.error, AssertionError)


def test_an_exception_that_was_expected_and_did_not_come_is_a_failure_like_others():
    def scenario(world):
        both = merge(Source.of(1).map(int), Source.of(2).map(int))
        result = world.start(both.to(Sink.list())).result()
        if result == [2, 1]:
            with pytest.raises(KeyError):
                pass

    with pytest.raises(pytest.fail.Exception) as caught:
        check_scenario(scenario, Plan(runs=100))
    assert "trace: v1:" in "\n".join(caught.value.__notes__)


def test_a_failure_shows_seed_trace_deliveries_actors_and_how_to_make_it_again():
    with pytest.raises(AssertionError) as caught:
        check_scenario(in_source_order, Plan(runs=500, seed=3))
    note = "\n".join(caught.value.__notes__)
    assert "seed: 3" in note
    assert "trace: v1:" in note
    assert "deliveries:" in note
    assert "merge: stopped" in note
    test = f"{__name__.replace('.', '/')}.py::"
    assert f"replay it: pytest -p actors_rs.testing.pytest_plugin {test}" in note


def test_a_failure_in_mid_run_shows_the_graph_as_it_was_and_not_how_it_was_taken_down():
    def scenario(world):
        world.start(Source.of(1, 2).concat(Source.never()).to(Sink.list())).result()

    with pytest.raises(Stalled) as caught:
        check_scenario(scenario, Plan(runs=1))
    note = "\n".join(caught.value.__notes__)
    diagram, actors = note.partition("deliveries:\n")[2].split("actors:\n")
    assert "arrived [1, 2]" in diagram
    assert "cancel" not in diagram
    assert "list: living, in took 2, holds 0, 4 requested" in actors
    assert "cancelled" not in actors


def test_a_failure_is_shrunk_to_few_choices_and_replays_as_it_was():
    failure = search(in_source_order, Plan(runs=500)).failure
    assert len(failure.trace.deviations) <= 2
    with pytest.raises(AssertionError) as caught:
        replay(in_source_order, Plan(), failure.trace)
    assert str(caught.value).splitlines()[0] == str(failure.error).splitlines()[0]


def test_data_and_faults_are_shrunk_with_the_order():
    def scenario(world):
        sizes = [world.pick("size", range(10)) for _ in range(5)]
        assert not (sum(sizes) > 3 and world.fault("disk"))

    failure = search(scenario, Plan(runs=2000, faults=0.5)).failure
    taken = sorted(failure.trace.deviations.values())
    assert taken in ([1, 4], [1, 1, 3], [1, 2, 2]) or sum(taken) == 5


def test_a_pick_among_very_many_is_shrunk_and_replayed():
    def scenario(world):
        assert world.pick("seed", range(2**62)) < 3_000_000_000

    failure = search(scenario, Plan(runs=20, portfolio=("random",))).failure
    assert list(failure.trace.deviations.values()) == [3_000_000_000]
    assert Trace.parse(str(failure.trace)) == failure.trace
    with pytest.raises(AssertionError):
        replay(scenario, Plan(), failure.trace)


def test_the_same_seed_explores_the_same():
    first, second = (search(fine, Plan(runs=200, seed=5)) for _ in range(2))
    assert first.behaviours == second.behaviours
    assert str(first).startswith("scenario: 200 interleavings, ")


def test_runs_end_when_there_is_no_other_run_to_make():
    found = search(fine, Plan(runs=10**6, portfolio=("dfs",), windows=(4,)))
    assert found.complete
    assert found.runs < 10_000


def test_bounded_dfs_makes_each_run_once_the_dull_one_first():
    dfs, seen = BoundedDfs(2), []
    while (decisions := dfs.next_run()) is not None:
        seen.append(tuple(decisions.choose("data:x", range(3)) for _ in range(3)))
    assert seen[0] == (0, 0, 0)
    assert len(seen) == len(set(seen)) == 1 + 3 * 2 + 3 * 4
    assert all(sum(x > 0 for x in run) <= 2 for run in seen)


def test_bounded_dfs_keeps_no_run_that_was_made():
    dfs, made = BoundedDfs(2), []
    for _ in range(4):  # the three with one deviation have further ones to come
        decisions = dfs.next_run()
        for _ in range(3):
            decisions.choose("order", "ab")
        made.append(ref(decisions))
    assert [one() is None for one in made] == [True, True, True, False]


def test_bounded_dfs_needs_a_number_of_deviations():
    with pytest.raises(InvalidArgumentError, match="max_deviations must be 0 or more, got -1"):
        BoundedDfs(-1)
    for number in ("2", 1.5, float("nan")):
        with pytest.raises(InvalidArgumentError, match=f"must be an int, got {number!r}"):
            BoundedDfs(number)  # type: ignore[arg-type]


def test_a_stall_is_found_and_explained():
    failure = search(
        lambda world: world.start(Source.never().to(Sink.list())).result(), Plan(runs=5)
    ).failure
    assert isinstance(failure.error, Stalled)


# Bad input


def test_a_test_without_a_world_is_an_error():
    with pytest.raises(InvalidArgumentError, match="needs a parameter 'world'"):
        explore()(lambda: None)


@pytest.mark.parametrize(
    "clock",
    [
        time.time,
        time.monotonic,
        time.perf_counter,
        datetime.now,
        time.localtime,
        time.gmtime,
        time.ctime,
        time.asctime,
        lambda: time.strftime("%H:%M"),
        lambda: time.clock_gettime(time.CLOCK_REALTIME),
        time.process_time,
        time.process_time_ns,
        time.thread_time,
        os.times,
    ],
)
def test_the_real_clock_is_found_and_its_line_named(clock):
    def scenario(world):
        clock()

    with pytest.raises(WorldError, match=r"has its own time, but \w+\(\) .*test_explore"):
        check_scenario(scenario, Plan(runs=1))


def test_a_time_of_the_world_may_be_told_in_words():
    def scenario(world):
        given = time.gmtime(world.now)
        unpacked = (given,)
        return time.strftime("%H:%M", given), time.asctime(*unpacked), time.ctime(world.now)

    check_scenario(scenario, Plan(runs=1))


class Unequal(list):
    def __eq__(self, other):
        raise TypeError("compared")

    __hash__ = None


def test_who_looks_for_the_clock_compares_nothing_of_the_users():
    def scenario(world):
        Unequal().append(1)

    check_scenario(scenario, Plan(runs=1))


def test_a_real_thread_is_found_and_its_line_named():
    def scenario(world):
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()

    with pytest.raises(WorldError, match=r"has one thread, but another .*test_explore"):
        check_scenario(scenario, Plan(runs=1))


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("nonsense", "a trace looks like 'v1:1f2e3d4c:3=1,17=2', got 'nonsense'"),
        ("v9:aaaa:1=1", "the trace is of version 9, this is version 1"),
        ("v1:aaaa:1=x", "a trace's decisions look like '3=1,17=2', got '1=x'"),
        ("v1:aaaa:3=-1", "a trace's decisions look like '3=1,17=2', got '3=-1'"),
        ("v1:aaaa:3=1,3=2", "a trace takes each decision once, got '3=1,3=2'"),
        ("v1:aaaa:3=1=2", "a trace's decisions look like '3=1,17=2', got '3=1=2'"),
    ],
)
def test_a_word_that_is_no_trace_of_this_version_is_an_error(word, said):
    with pytest.raises(InvalidArgumentError, match=said):
        Trace.parse(word)


def test_a_trace_of_another_graph_is_an_error_that_shows_both():
    trace = search(in_source_order, Plan(runs=500)).failure.trace
    with pytest.raises(InvalidArgumentError, match=r"another graph, \w+; this is .* range list"):
        replay(fine, Plan(), Trace(trace.graph, {}))


def test_a_trace_survives_being_written():
    trace = Trace("1f2e3d4c", {17: 2, 3: 1})
    assert str(trace) == "v1:1f2e3d4c:3=1,17=2"
    assert Trace.parse(str(trace)) == trace
    assert Trace.parse("v1:1f2e3d4c:") == Trace("1f2e3d4c", {})


# Kept traces and options


def test_kept_traces_are_replayed_before_anything_is_searched(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    trace = search(in_source_order, Plan(runs=500)).failure.trace
    add_schedule(tmp_path, "mine", trace, "out of order")
    add_schedule(tmp_path, "mine", trace)
    kept = {"traces": {str(trace): "out of order"}}
    assert json.loads((tmp_path / "mine.json").read_text()) == kept
    monkeypatch.setattr(SETTINGS, "schedules", tmp_path)
    with pytest.raises(AssertionError):
        check_scenario(in_source_order, Plan(runs=1), "mine")
    assert SETTINGS.explored == []


def test_new_failures_are_kept_if_asked_for(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    monkeypatch.setattr(SETTINGS, "schedules", tmp_path / "new")
    monkeypatch.setattr(SETTINGS, "keep", True)
    with pytest.raises(AssertionError):
        check_scenario(in_source_order, Plan(runs=500), "mine")
    assert len(load_schedules(tmp_path / "new", "mine")) == 1
    kept = json.loads((tmp_path / "new" / "mine.json").read_text())["traces"]
    assert [why.partition(":")[0] for why in kept.values()] == ["AssertionError"]


def test_a_file_with_traces_alone_is_read_too(tmp_path):
    (tmp_path / "mine.json").write_text('{"traces": ["v1:1f2e3d4c:3=1"]}')
    assert load_schedules(tmp_path, "mine") == [(Trace("1f2e3d4c", {3: 1}), "")]


@pytest.mark.parametrize(
    "text", ["[]", "", "null", '{"traces": null}', '{"traces": {"v1:abc', '{"traces": [[]]}']
)
def test_a_file_that_holds_no_traces_is_an_error(tmp_path, text):
    (tmp_path / "mine.json").write_text(text)
    with pytest.raises(InvalidArgumentError, match=r"mine\.json is no file of traces"):
        load_schedules(tmp_path, "mine")


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ('{"v0:1f2e3d4c:3=1": "old"}', "the trace is of version 0"),
        ('{"hello": "old"}', "a trace looks like 'v1:1f2e3d4c:3=1,17=2', got 'hello'"),
        ("[1, 2]", "a trace is parsed from a word, got 1"),
    ],
)
def test_a_trace_in_a_file_that_is_none_is_an_error_that_names_the_file(tmp_path, kept, said):
    (tmp_path / "mine.json").write_text(f'{{"traces": {kept}}}')
    with pytest.raises(InvalidArgumentError, match=f"mine.json holds what is no trace: {said}"):
        load_schedules(tmp_path, "mine")


def test_a_folder_in_the_place_of_a_file_of_traces_is_an_error_that_names_it(tmp_path):
    (tmp_path / "mine.json").mkdir()
    with pytest.raises(InvalidArgumentError, match=r"mine\.json is no file of traces"):
        load_schedules(tmp_path, "mine")


def test_the_options_replace_what_a_test_says(monkeypatch):
    monkeypatch.setattr(SETTINGS, "runs", 7)
    monkeypatch.setattr(SETTINGS, "seed", 9)
    assert check_scenario(fine, Plan(runs=100)).runs == 7
    failure = search(in_source_order, Plan(runs=500)).failure
    monkeypatch.setattr(SETTINGS, "trace", str(failure.trace))
    with pytest.raises(AssertionError):
        check_scenario(in_source_order)


def test_the_summary_adds_up(monkeypatch):
    monkeypatch.setattr(SETTINGS, "explored", [])
    assert SETTINGS.summary() == []
    check_scenario(fine, Plan(runs=30))
    check_scenario(fine, Plan(runs=20))
    assert SETTINGS.summary()[-1].startswith("50 interleavings explored in ")


def test_the_rate_of_a_yardstick_is_always_told(monkeypatch):
    monkeypatch.setattr(SETTINGS, "explored", [])
    monkeypatch.setattr(SETTINGS, "schedules", None)
    for name, yardstick in (("ordinary", False), ("measured", True)):
        SETTINGS.explored.append(Tally.of(search(fine, Plan(runs=10, yardstick=yardstick), name)))
    assert [line.partition(":")[0] for line in SETTINGS.summary()[:-1]] == ["ordinary", "measured"]
    [told, total] = SETTINGS.summary(detailed=False)
    assert re.fullmatch(
        r"measured: 10 interleavings, \d+ behaviours, \d+ per second and core", told
    )
    assert total.startswith("20 interleavings explored in ")


def test_an_explored_test_takes_fixtures_and_parameters_and_hides_the_world():
    seen = []

    @explore(runs=3)
    def test(world, number):
        seen.append(number)

    assert list(inspect.signature(test).parameters) == ["number"]
    test(number=4)
    assert set(seen) == {4}


@settings(max_examples=15, deadline=None)
@given(elements=st.lists(st.integers(), max_size=6), seed=st.integers(0, 2**64))
def test_hypothesis_draws_the_data_and_a_seed(elements, seed):
    def scenario(world):
        assert world.start(Source.from_iterable(elements).to(Sink.list())).result() == elements

    check_scenario(scenario, Plan(runs=5, seed=seed))


# Peers
