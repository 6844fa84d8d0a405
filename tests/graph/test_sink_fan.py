# mypy: disable-error-code="arg-type, call-overload, var-annotated"
"""``Sink.fan``: several sinks as one, with a tuple of results."""

import threading

import pytest
from hypothesis import given

from actors_rs import ActorSystem, Feedback, Graph, Sink, Source
from actors_rs.errors import EmptyStreamError, GraphError, StageError
from tests.graph.helpers import SECONDS
from tests.graph.models import numbers, quick, windows


@quick
@given(xs=numbers, window=windows)
def test_each_sink_gives_what_it_gives_alone(shared, xs, window):
    fan = Sink.fan(Sink.sum(), Sink.count(), Sink.fan(Sink.list(), Sink.ignore()))
    graph = Source.from_iterable(xs).to(fan.with_attributes(window=window))
    for _ in range(2):
        assert shared.start(graph).result(SECONDS) == (sum(xs), len(xs), (xs, None))


def test_one_that_has_had_enough_takes_no_more_and_the_others_go_on(shared):
    flow = Source.range(0, 5000)
    assert shared.start(flow.to(Sink.fan(Sink.first(), Sink.count()))).result(SECONDS) == (0, 5000)


def test_upstream_is_cancelled_when_all_have_had_enough(shared):
    flow = Source.repeat("x")
    assert shared.start(flow.to(Sink.fan(Sink.first(), Sink.first()))).result(SECONDS) == ("x", "x")


def test_a_failure_names_the_sink_and_its_element(shared):
    def f(x):
        if x == 7:
            raise KeyError(x)

    seen = []
    fan = Sink.fan(Sink.for_each(seen.append), Sink.for_each(f).named("picky"), Sink.list())
    with pytest.raises(StageError) as caught:
        shared.start(Source.range(0, 20).to(fan)).result(SECONDS)
    assert (caught.value.stage, caught.value.position) == ("picky", 7)
    assert "test_sink_fan.py:" in caught.value.site
    assert caught.value.others == ()


def test_each_sink_has_its_own_policy_and_the_fans_is_for_those_without(shared):
    def picky(bad):
        def f(x):
            if x == bad:
                raise KeyError(x)

        return f

    fan = Sink.fan(Sink.for_each(picky(2)), Sink.for_each(picky(3)).on_failure("resume"))
    with pytest.raises(StageError) as caught:
        shared.start(Source.range(0, 9).to(fan)).result(SECONDS)
    assert caught.value.position == 2
    results = shared.start(Source.range(0, 9).to(fan.on_failure("resume"))).result(SECONDS)
    assert results == (8, 8)


def test_a_sink_without_its_element_fails_the_run(shared):
    with pytest.raises(EmptyStreamError, match="first needs an element"):
        shared.start(Source.empty().to(Sink.fan(Sink.count(), Sink.first()))).result(SECONDS)


def test_files_are_written_on_a_thread_of_their_own_and_left_out_after_a_failure(shared, tmp_path):
    threads = set()
    note = Sink.for_each(lambda _: threads.add(threading.get_ident()))
    path = tmp_path / "rows.jsonl"
    report, count = shared.start(Source.range(0, 50).to(Sink.fan(Sink.jsonl(path), note))).result(
        SECONDS
    )
    assert (report.rows, count, len(threads)) == (50, 50, 1)
    path.unlink()
    bad = Sink.for_each(lambda x: 1 // (x - 40))
    with pytest.raises(StageError):
        shared.start(Source.range(0, 50).to(Sink.fan(Sink.jsonl(path), bad))).result(SECONDS)
    assert list(tmp_path.iterdir()) == []


def test_several_results_stand_where_the_sink_stands(shared):
    one, two = Source.range(0, 4).broadcast(2)
    graph = Graph(one.to(Sink.fan(Sink.sum(), Sink.count())), two.to(Sink.list()))
    assert shared.start(graph).result(SECONDS) == ((6, 4), [0, 1, 2, 3])


@pytest.mark.parametrize("make", [Sink.fold, lambda init, f: Sink.fold_get(list, f)])
def test_a_fold_that_changes_its_initial_value_gives_the_same_in_each_run(shared, make):
    def collect(xs, x):
        xs.append(x)
        return xs

    graph = Source.range(0, 3).to(make([], collect))
    assert [shared.start(graph).result(SECONDS) for _ in range(2)] == [[0, 1, 2]] * 2


def test_what_cannot_be_copied_is_refused_with_the_way_out():
    with pytest.raises(TypeError, match=r"Sink\.fold: init must be .* give Sink\.fold_get"):
        Sink.fold(threading.Lock(), lambda a, x: a)


def test_wrong_arguments_are_refused_when_the_blueprint_is_built():
    with pytest.raises(GraphError, match="at least one sink"):
        Sink.fan()
    with pytest.raises(TypeError, match=r"Sink\.fan needs a Sink, got 3"):
        Sink.fan(Sink.count(), 3)


def test_an_element_that_a_sink_of_the_fan_passes_over_names_that_sink():
    def picky(x):
        if x == 3:
            raise ValueError(x)

    careful = Sink.for_each(picky).named("careful").on_failure("resume")
    with ActorSystem() as system:
        run = system.start(Source.range(0, 9).to(Sink.fan(careful, Sink.count())))
        assert run.result(SECONDS) == (8, 9)
        (letter,) = system.dead_letters.recent()
    assert isinstance(letter.error, StageError)
    assert (letter.what, letter.error.stage, letter.error.position) == (3, "careful", 3)


def test_the_way_back_of_a_loop_is_no_part_of_a_fan():
    with pytest.raises(GraphError, match=r"Sink\.fan: .*'feedback' .*leads back into a loop"):
        Sink.fan(Feedback[int](3).sink, Sink.count())
