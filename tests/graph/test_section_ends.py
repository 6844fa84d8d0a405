# mypy: disable-error-code="arg-type, call-overload, union-attr, var-annotated"
"""What a restarted section makes of the end of its input, and what is left when it gives up."""

from asyncio import CancelledError

import pytest

from actors_rs import Flow, Sink, Source
from actors_rs.engine.sections.section import Section
from actors_rs.errors import GraphError, RunCancelled, StageError
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.testing.decisions import Decisions, RandomWalk
from actors_rs.testing.world import World
from tests.explored.scenarios.sections import Flaky

WAIT = Backoff(1.0, jitter=0)
SEEDS = 40


def six_and_a_failure():
    yield from range(6)
    raise OSError("gone")


def told(error):
    return f"recovered from {type(error.__cause__).__name__}"


def outcomes(flow_of, **how):
    """What runs of ``flow_of()`` gave, or what they failed with, and their dead letters."""
    seen = set()
    for seed in range(SEEDS):
        with World(RandomWalk(seed) if seed else Decisions(), **how) as world:
            try:
                got = tuple(world.start(flow_of().to(Sink.list())).result())
            except StageError as error:
                got = (repr(error.__cause__), len(error.others))
            letters = [one.what for one in world.system.dead_letters.recent()]
        seen.add((got, tuple(sorted(one for one in letters if isinstance(one, int)))))
    return seen


@pytest.mark.parametrize("window", [1, 4, 16])
@pytest.mark.parametrize("bad", [1, 5])
def test_a_section_is_restarted_though_its_input_has_failed_behind_elements_in_hand(bad, window):
    def flow():
        section = Flow().map(Flaky(bad)).restart(WAIT)
        return Source.from_iterable(six_and_a_failure).via(section).recover(told)

    rest = [n for n in range(6) if n != bad]
    assert outcomes(flow, window=window) == {((*rest, "recovered from OSError"), (bad,))}


def test_behind_a_restart_the_failure_of_the_input_is_that_of_the_run():
    def flow():
        section = Flow().map(Flaky(5)).restart(WAIT)
        return Source.from_iterable(six_and_a_failure).via(section)

    assert outcomes(flow, window=16) == {((repr(OSError("gone")), 0), (5,))}


def test_a_failure_of_the_input_under_another_name_is_not_the_sections_own():
    def flow():
        section = Flow().map_error(lambda error: ValueError("renamed")).restart(WAIT)
        return Source.from_iterable(six_and_a_failure).via(section).recover(repr)

    assert outcomes(flow) == {((*range(6), repr(ValueError("renamed"))), ())}


@pytest.mark.parametrize("window", [1, 4, 16])
@pytest.mark.parametrize("source", [six_and_a_failure, lambda: range(6)])
def test_a_section_that_gives_up_reports_what_nobody_will_begin_with(source, window):
    for seed in range(SEEDS):
        section = Flow().map(Flaky(1)).restart(WAIT, max_restarts=0)
        flow = Source.from_iterable(source).via(section)
        with World(RandomWalk(seed) if seed else Decisions(), window=window) as world:
            run = world.start(flow.to(Sink.list()))
            with pytest.raises(StageError) as failed:
                run.result()
            assert "KeyError: 1" in str([failed.value, *failed.value.others])
            letters = [one.what for one in world.system.dead_letters.recent()]
            produced = run.snapshot().stages[0].elements_out
        assert letters == list(range(1, produced))


RECOVERING = {
    "recover": lambda flow: flow.recover(lambda error: 98),
    "recover_with": lambda flow: flow.recover_with(Source.of(98)),
    "catch": lambda flow: flow.catch(lambda error: Source.of(98)),
}
BODIES = {
    "an actor": lambda f: Flow().map(f),
    "within the section": lambda f: Flow().map(f).fuse(),
    "two actors": lambda f: Flow().map(int).map(f),
}


@pytest.mark.parametrize("recover", RECOVERING.values(), ids=RECOVERING)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_fails_in_the_input_beside_a_section_that_is_recovered_from_fails_no_run(
    body, recover
):
    def flow():
        section = body(Flaky(1)).restart(WAIT, max_restarts=0)
        return recover(Source.from_iterable(six_and_a_failure).via(section))

    gave = {got for window in (1, 2, 4, 16) for got, _ in outcomes(flow, window=window)}
    assert gave == {(0, 98)}


THREE = {((0, 3, 4, 5), (1, 2)), ((0, 2, 3, 4), (1,))}  # as it fails behind the third, or before
ENOUGH = {
    "take": (lambda f: Flow().take(3).map(f), THREE),
    "in a row": (lambda f: Flow().take(3).map(int).fuse().map(f), THREE),
    "fused": (lambda f: Flow().take(3).map(f).fuse(), THREE),
    "take_while": (
        lambda f: Flow().take_while(lambda x: x not in (2, 4)).map(f),
        {((0, 3), (1,)), ((0,), (1,))},
    ),
    "first that": (lambda f: Flow().first(bool).map(f), {((2,), (1,))}),
    "element_at": (lambda f: Flow().element_at(1).map(f), {((3,), (1,))}),
}


@pytest.mark.parametrize("window", [1, 2, 4, 16])
@pytest.mark.parametrize(("body", "may_give"), ENOUGH.values(), ids=ENOUGH)
def test_a_life_that_had_enough_is_followed_by_one_that_goes_on_behind_it(body, may_give, window):
    """The first stage may need any part of the frame that it has taken."""

    def flow():
        return Source.range(0, 20).via(body(Flaky(1)).restart(WAIT))

    assert outcomes(flow, window=window) <= may_give


def test_a_section_that_has_enough_asks_for_no_more_and_ends_upstream_when_it_ends():
    released = []

    def endless():
        try:
            yield from iter(int, 1)
        finally:
            released.append(True)

    body = Flow().take(3).delay(5.0).restart(WAIT)
    with World(window=8) as world:
        run = world.start(Source.from_iterable(endless).via(body).to(Sink.list()))
        world.sleep(3.0)
        given = run.snapshot().stages[0].elements_out
        assert (released, given <= 16) == ([], True)
        world.sleep(1.0)
        assert run.snapshot().stages[0].elements_out == given
        assert run.result() == [0, 0, 0]
        world.finish()
    assert released == [True]


@pytest.mark.parametrize(
    ("cause", "unneeded"),
    [(None, True), (RunCancelled("run 'x' was cancelled"), True), (KeyError("behind it"), False)],
)
def test_a_section_that_fails_as_its_run_is_cancelled_was_not_needed_any_more(cause, unneeded):
    section = Section(None, True, WAIT, 3, 60.0)
    assert not section._is_unneeded
    section.outlet.cancel(cause)
    assert section._is_unneeded == unneeded


def test_what_is_no_exception_restarts_no_section():
    def raising(x):
        if x == 3:
            raise CancelledError("what it waited for")
        return x

    body = Flow[int]().map(raising).restart(Backoff(0.1), max_restarts=2)
    with World() as world:
        run = world.start(Source.range(0, 9).via(body).to(Sink.list()))
        run.wait()
        assert run.state == "failed"
        assert not any("restarted" in one.why for one in world.system.dead_letters.recent())


def test_a_sink_that_replaces_its_file_is_refused_where_each_life_has_a_part_of_the_input(tmp_path):
    path = tmp_path / "out.jsonl"
    body = Flow[int]().also_to(Sink.jsonl(path)).map(str)
    with pytest.raises(GraphError, match=r"restart: expected sinks .*got 'jsonl' \(made at"):
        body.restart()
    again = Source.range(0, 3).also_to(Sink.jsonl(path)).map(str)
    assert again.restart(Backoff(0.1)).run(Sink.list()) == ["0", "1", "2"]
    assert path.read_text() == "0\n1\n2\n"


def test_the_figures_of_a_section_are_those_of_its_own_ends_and_not_of_what_is_within():
    body = Flow[int]().filter(lambda x: x % 2).map(str).restart(Backoff(0.1))
    with World() as world:
        run = world.start(Source.range(0, 9).via(body).to(Sink.list()))
        assert run.result() == ["1", "3", "5", "7"]
        (section,) = [one for one in run.snapshot().stages if one.kind == "section"]
    assert (section.elements_in, section.elements_out) == (9, 4)


def notes_on_failure_of(source):
    with World(Decisions()) as world, pytest.raises(StageError, match="gone") as caught:
        world.start(source.to(Sink.ignore())).result()
    return getattr(caught.value, "__notes__", [])


def test_the_failure_of_a_section_that_gives_up_says_after_how_many_restarts():
    source = Source.from_iterable(six_and_a_failure)
    (note,) = notes_on_failure_of(source.restart(WAIT, max_restarts=2, within=30))
    assert "gave up after 2 restarts within 30 s (max_restarts=2" in note
    assert notes_on_failure_of(source.via(Flow().map(abs).restart(WAIT))) == []  # not its own
