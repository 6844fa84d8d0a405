# mypy: disable-error-code="arg-type"
"""The museum of bugs: each is put into the package, and one of its scenarios sees it."""

import pytest

from actors_rs import Sink, Source
from actors_rs.stages.ports import Inlet
from actors_rs.testing.world import World
from tests.explored.catalogue import SCENARIOS, runs_of
from tests.explored.scenario import RUNS
from tests.mutants.catalogue import ALL
from tests.mutants.kill import kill
from tests.mutants.mutant import Edit, Mutant, function_at, mutant
from tests.mutants.threads import MODELS
from tests.pages.mutants import PAGE, names_on

by_name = pytest.mark.parametrize("bug", ALL, ids=lambda bug: bug.name)
TAKE = "actors_rs.stages.ports:Inlet.take"


@by_name
def test_the_mutant_is_killed(bug):
    seen = kill(bug)
    assert seen is not None, f"'{bug.name}' survives {RUNS} runs of {', '.join(bug.killers)}"
    late = f"seen in run {seen.run}: MORE_RUNS gives '{seen.scenario}' more runs"
    assert bug.model or seen.run <= runs_of(seen.scenario), late


def test_there_are_mutants_of_every_part_and_each_has_a_name_of_its_own():
    assert len({bug.name for bug in ALL}) == len(ALL) >= 120


@pytest.mark.parametrize("name", MODELS)
def test_the_model_holds_without_a_mutant(name):
    holds, interleavings = MODELS[name]()
    assert holds
    assert interleavings > 1


def test_every_killer_exists_and_a_mutant_has_one():
    known = {*SCENARIOS, *MODELS}
    for bug in ALL:
        killers = {*bug.killers, bug.model} - {""}
        assert killers, f"nothing kills '{bug.name}'"
        assert killers <= known, f"'{bug.name}' names {killers - known}"


def test_a_mutant_leaves_nothing_behind():
    before = {edit.where: function_at(edit.where).__code__ for bug in ALL for edit in bug.edits}
    for bug in ALL:
        with bug.applied():
            changed = {edit.where for edit in bug.edits}
            for where in changed:
                assert function_at(where).__code__ is not before[where]
    assert all(function_at(where).__code__ is code for where, code in before.items())


def test_a_mutant_reaches_those_who_hold_the_function_already():
    take = Inlet.take
    bug = mutant("", "", "stages.ports:Inlet.take", "return frame", "return ()")
    inlet = Inlet(window=4)
    inlet.open()
    inlet.push([1])
    inlet.push([2])
    with bug.applied():
        assert take(inlet, 1) == ()
    assert take(inlet, 1) == [2]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (Edit(TAKE, "no such text", ""), "holds 0 times"),
        (Edit(TAKE, "frame", ""), r"holds \d+ times"),
        (Edit("actors_rs.stages.ports:Inlet.takes", "", ""), "there is no 'takes'"),
        (Edit("actors_rs.stages.ports:Inlet", "", ""), "is no function"),
    ],
)
def test_a_mutant_whose_text_is_gone_says_so(edit, said):
    with pytest.raises(LookupError, match=said), Mutant("", "", (edit,)).applied():
        pass


def test_a_mutant_that_drops_super_is_refused():
    where = "actors_rs.stages.hubs.hot:HotJunction.end"
    edit = Edit(where, "super().end(error)", "error")
    with pytest.raises(LookupError, match="__class__"), Mutant("", "", (edit,)).applied():
        pass


def test_streams_run_as_ever_when_all_mutants_have_come_and_gone():
    for bug in ALL:
        with bug.applied():
            pass
    with World() as world:
        assert world.start(Source.range(0, 9).map(str).to(Sink.list())).result() == list(
            "012345678"
        )


def test_the_page_shows_the_mutants_there_are():
    again = "docs/mutants.md is out of date: python -m tests.pages.mutants"
    assert names_on(PAGE.read_text(encoding="utf-8")) == [bug.name for bug in ALL], again
