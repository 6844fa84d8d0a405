"""Replays: of a trace that fits, of one that does not, and the line that makes a run again."""

import shlex
from contextlib import suppress

import pytest

from actors_rs import Sink, Source, merge
from actors_rs.testing import explore as exploring
from actors_rs.testing.decisions import TraceMisfit
from actors_rs.testing.explore import Plan, Trace, check_scenario, explore, replay, search
from actors_rs.testing.explore.replays import Replays
from actors_rs.testing.explore.settings import SETTINGS
from actors_rs.testing.explore.traces import (
    add_schedule,
    graph_id,
    load_schedules,
    schedule_file,
)
from tests.testing.support import python

pytestmark = pytest.mark.usefixtures("by_itself")


def in_order(world):
    both = merge(Source.of(1).map(int), Source.of(2).map(int))
    assert world.start(both.to(Sink.list())).result() == [1, 2]


def fine(world):
    assert world.start(Source.range(0, 3).to(Sink.list())).result() == [0, 1, 2]


@explore(runs=200, window=(1, 3))
def decorated(world):
    in_order(world)


def failing_trace():
    failure = search(in_order, Plan(runs=200)).failure
    assert failure is not None
    return failure.trace


# What fits


def test_a_decision_that_the_run_does_not_come_to_is_an_error():
    trace = Trace(graph_id("range list "), {900: 1})
    with pytest.raises(TraceMisfit, match=r"its decision 900 was not reached, here were \d+ dec"):
        replay(fine, Plan(), trace)
    replay(fine, Plan(), trace, strict=False)


def test_a_run_that_fails_before_all_decisions_are_made_fails_as_it_does():
    trace = failing_trace()
    with pytest.raises(AssertionError, match=r"== \[1, 2\]"):
        replay(in_order, Plan(), Trace(trace.graph, {**trace.deviations, 900: 1}))


def test_code_that_swallows_errors_does_not_hide_that_a_trace_does_not_fit():
    def scenario(world):
        with suppress(Exception):
            world.pick("size", (1, 2))

    with pytest.raises(TraceMisfit, match=r"decision 1 takes option 5, .* 'data:size' with 2 opt"):
        replay(scenario, Plan(), Trace(graph_id(""), {1: 5}))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tests/test_x.py::test_op[+]", "tests/test_x.py::test_op[*]"),
        ("tests/test_x.py::test_op[a b]", "tests/test_x.py::test_op[a/b]"),
        ("tests/test_x.py::test_op[a b]", "tests/test_x.py::test_op[a  b]"),
        ("tests/test_x.py::test_op[1.5]", "tests/test_x.py::test_op[1/5]"),
        (f"tests/test_x.py::test_op[{'x' * 300}]", f"tests/test_x.py::test_op[{'x' * 301}]"),
    ],
)
def test_each_test_has_a_file_of_its_own_for_its_traces(tmp_path, one, other):
    trace = Trace("1f2e3d4c", {})
    add_schedule(tmp_path, one, trace)
    assert load_schedules(tmp_path, other) == []
    assert load_schedules(tmp_path, one) == [(trace, "")]


def test_the_file_of_a_test_without_special_characters_is_named_after_it_alone(tmp_path):
    test = "tests/explored/test_scenarios.py::test_holds[rates/map_async of two-or three]"
    name = "tests.explored.test_scenarios.test_holds[rates.map_async.of.two-or.three].json"
    assert schedule_file(tmp_path, test) == tmp_path / name


def test_kept_traces_of_other_graphs_are_passed_over(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    monkeypatch.setattr(SETTINGS, "schedules", tmp_path)
    add_schedule(tmp_path, "mine", failing_trace())
    assert check_scenario(fine, Plan(runs=5), "mine").runs == 5
    with pytest.raises(AssertionError):
        check_scenario(in_order, Plan(runs=5), "mine")
    SETTINGS.replays.check(asked=False)


@pytest.mark.parametrize(
    ("graphs", "asked", "refused"),
    [
        (("a ",), False, True),  # the graph has changed since
        (("a ", "b "), False, False),  # graphs are drawn, and that of the trace was not
        (("a ", "b "), True, True),
    ],
)
def test_that_no_trace_fits_at_all_is_an_error_unless_graphs_are_drawn(graphs, asked, refused):
    replays = Replays()
    for graph in graphs:
        with replays.counted("a file"):
            Trace(graph_id("c "), {}).check_graph(graph)
    if refused:
        with pytest.raises(TraceMisfit, match="with the actors a") as caught:
            replays.check(asked=asked)
        assert "the trace is from a file" in caught.value.__notes__
    with replays.counted("a file"):
        pass
    replays.check(asked=asked)


def test_a_kept_trace_that_fails_again_tells_where_it_is_why_and_how_to_make_it(
    tmp_path, monkeypatch
):
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    monkeypatch.setattr(SETTINGS, "schedules", tmp_path)
    trace = failing_trace()
    more = Trace(trace.graph, {**trace.deviations, 900: 1})  # as if the run had become shorter
    file = add_schedule(tmp_path, "mine", more, "out of order")
    with pytest.raises(AssertionError) as caught:
        check_scenario(in_order, Plan(runs=5), "mine")
    assert f"the trace is from {file}, kept for: out of order" in caught.value.__notes__
    assert "seed: " not in caught.value.__notes__[0]
    call = line_of(caught).rpartition(", all from ")[0]
    with pytest.raises(AssertionError, match=r"== \[1, 2\]"):
        eval(call, {**vars(exploring), "in_order": in_order})


# The plugin

TWO_GRAPHS = """
from actors_rs import Sink, Source, merge
from actors_rs.testing.explore import Plan, check_scenario

def test_two_graphs():
    check_scenario(lambda world: world.start(Source.of(1).to(Sink.list())).result())
    def in_order(world):
        both = merge(Source.of(1).map(int), Source.of(2).map(int))
        assert world.start(both.to(Sink.list())).result() == [1, 2]
    check_scenario(in_order)
"""


@pytest.mark.parametrize(
    ("trace", "said"),
    [
        ("{0}", "assert [2, 1] == [1, 2]"),
        ("v1:{0.graph}:", "test_two_graphs: the trace did not fail; if nothing was mended"),
        ("v1:{0.graph}:900=1", "its decision 900 was not reached"),
        ("v1:aaaaaaaa:", "the trace is of another graph, aaaaaaaa; this is "),
    ],
)
def test_a_replay_is_of_the_graph_that_its_trace_fits(tmp_path, trace, said):
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["actors_rs.testing.pytest_plugin"]')
    (tmp_path / "test_two.py").write_text(TWO_GRAPHS)
    trace = trace.format(failing_trace())
    done = python("-m", "pytest", "-q", str(tmp_path), "--replay", trace, cwd=tmp_path)
    assert said in done.stdout, done.stdout
    assert ("1 passed" in done.stdout) == ("did not fail" in said)


# The line


def line_of(caught):
    return "\n".join(caught.value.__notes__).partition("replay it: ")[2].partition("\n")[0]


def test_the_line_for_the_shell_is_read_as_it_was_meant(monkeypatch, tmp_path):
    monkeypatch.setattr(SETTINGS, "schedules", tmp_path)  # as the plugin does
    test = """tests/a b.py::test[it's "x"-$HOME]"""
    monkeypatch.setenv("PYTEST_CURRENT_TEST", f"{test} (call)")
    with pytest.raises(AssertionError) as caught:
        check_scenario(in_order, Plan(runs=200))
    assert shlex.split(line_of(caught))[:3] == ["pytest", test, "--replay"]


IN_ORDER = """
from actors_rs import Sink, Source, merge
from actors_rs.testing.explore import check_scenario

def test_in_order():
    def in_order(world):
        both = merge(Source.of(1).map(int), Source.of(2).map(int))
        assert world.start(both.to(Sink.list())).result() == [1, 2]
    check_scenario(in_order)
"""


@pytest.mark.parametrize("folder", [".", "below"])
@pytest.mark.parametrize("conftest", ["", 'pytest_plugins = ["actors_rs.testing.pytest_plugin"]'])
def test_the_line_works_where_pytest_was_started_whether_the_plugin_is_loaded(
    tmp_path, folder, conftest
):
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text(conftest)
    started_in = tmp_path / folder
    started_in.mkdir(exist_ok=True)
    (started_in / "test_order.py").write_text(IN_ORDER)
    first = python("-m", "pytest", cwd=started_in).stdout
    line = first.partition("replay it: ")[2].partition("\n")[0]
    program, *arguments = shlex.split(line)
    again = python("-m", program, *arguments, cwd=started_in).stdout
    assert "1 failed" in again, (line, again)
    assert "after 1 runs" not in again


LIMITED = Plan(runs=200, memory_limit="1 MiB")


@pytest.mark.parametrize(
    "run",
    [
        decorated,
        lambda: check_scenario(in_order, Plan(runs=200)),
        lambda: check_scenario(in_order, LIMITED),
    ],
)
def test_outside_of_pytest_the_line_is_a_call_that_makes_the_run_again(run, monkeypatch):
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    with pytest.raises(AssertionError) as caught:
        run()
    call, _, origin = line_of(caught).rpartition(", all from ")
    assert origin == "actors_rs.testing.explore"
    names = {**vars(exploring), "decorated": decorated, "in_order": in_order}
    with pytest.raises(AssertionError, match=r"== \[1, 2\]"):
        eval(call, names)
