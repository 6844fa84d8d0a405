# mypy: disable-error-code="var-annotated,union-attr,arg-type"
"""Stages that fail at the same time, where one failure is recovered from and where none is."""

import gc
import weakref
from unittest.mock import Mock

import pytest

from actors_rs import ActorSystem, Sink, Source, merge
from actors_rs.engine.materializer import new_run
from actors_rs.engine.member import Member
from actors_rs.engine.run.recoveries import Recoveries
from actors_rs.errors import DeciderError, StageError
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.testing.explore import FreeSubscriber
from actors_rs.testing.world import World
from tests.graph.helpers import SECONDS


def down(x):
    raise OSError(f"{x} is down")


def giving_up(error):
    raise KeyError("given up")


def two_at_once():
    return merge(Source.of(1).map(down), Source.of(2).map(down))


def test_stages_that_failed_beside_one_that_was_recovered_from_are_dead_letters():
    with World() as world:
        run = world.start(two_at_once().recover(lambda error: "ok").to(Sink.list()))
        assert run.result() == ["ok"]
        letters = [letter for letter in world.system.dead_letters.recent() if letter.error]
    assert len(letters) == 1
    assert letters[0].why == "a stage failed together with an error that was recovered"
    assert isinstance(letters[0].error.__cause__, OSError)


def cannot_decide(error, element):
    raise KeyError("which one?")


UNDECIDED = {
    "decider": lambda: Source.of(1, 0).map(down).on_failure(decider=cannot_decide),
    "decider, fused": lambda: (
        Source.of(1, 0).map(str).map(down).on_failure(decider=cannot_decide, section=True).fuse()
    ),
    "retry": lambda: Source.of(1).map_async(down, 1).retry(when=lambda e: cannot_decide(e, 1)),
}
RECOVERED = {
    "recover": lambda flow: flow.recover(lambda error: "ok"),
    "recover_with": lambda flow: flow.recover_with(Source.of("ok")),
    "catch": lambda flow: flow.catch(lambda error: Source.of("ok")),
    "restart": lambda flow: flow.restart(max_restarts=0).recover(lambda error: "ok"),
}


@pytest.mark.parametrize("way", RECOVERED.values(), ids=RECOVERED.keys())
@pytest.mark.parametrize("make", UNDECIDED.values(), ids=UNDECIDED.keys())
def test_what_a_decider_raised_about_an_error_that_was_recovered_from_is_a_dead_letter(make, way):
    with World() as world:
        assert world.start(way(make()).to(Sink.list())).result() == ["ok"]
        letters = world.system.dead_letters.recent()
    [why] = [letter.why for letter in letters if isinstance(letter.error, DeciderError)]
    assert why == "a stage failed together with an error that was recovered"


@pytest.mark.parametrize("make", UNDECIDED.values(), ids=UNDECIDED.keys())
def test_where_nobody_recovers_what_a_decider_raised_is_told_of_beside_its_error(make):
    with World() as world:
        run = world.start(make().to(Sink.list()))
        with pytest.raises(StageError, match="1 is down") as raised:
            run.result()
    [other] = raised.value.others
    assert isinstance(other, DeciderError)


def test_where_nobody_recovers_all_that_failed_at_once_are_told_of():
    with World() as world:
        run = world.start(two_at_once().to(Sink.list()))
        with pytest.raises(StageError) as raised:
            run.result()
        assert world.system.dead_letters.total == 0
    causes = {str(error.__cause__) for error in (raised.value, *raised.value.others)}
    assert causes == {"1 is down", "2 is down"}


@pytest.mark.parametrize("way", ["recover", "catch", "recover_with", "map_error"])
def test_an_outer_recovery_deals_with_what_an_inner_one_could_not(way):
    given_up = getattr(Source.of(0).map(down), way)(giving_up)
    with ActorSystem() as system:
        run = system.start(given_up.recover(lambda error: repr(error.__cause__)).to(Sink.list()))
        assert run.result(SECONDS) == ["KeyError('given up')"]


def test_a_failure_in_another_branch_is_still_the_run_s():
    graph_of = two_at_once().recover(lambda error: "ok")
    with World() as world:
        run = world.start(merge(graph_of, Source.of(3).map(down)).to(Sink.list()))
        with pytest.raises(StageError, match="3 is down"):
            run.result()


def test_a_failure_that_is_noted_behind_its_recovery_does_not_count():
    with World() as world:
        scope, error = new_run(world.system, "run"), StageError("stage", OSError(), None, "")
        scope.recovered(error)
        scope.note_failure(error, late=True)
        assert scope.failures == []
        scope.note_failure(error)
        assert scope.failures == [error]


def test_what_came_beside_what_came_beside_goes_with_a_recovery():
    books, first, second, third = Recoveries(), OSError(1), OSError(2), OSError(3)
    assert not books.beside(second, first)
    assert not books.beside(third, second)
    assert books.add(first) == [second, third]
    assert books.add(first) == []


def test_what_comes_beside_what_was_recovered_from_goes_with_it_at_once():
    books, first, second, third = Recoveries(), OSError(1), OSError(2), OSError(3)
    books.add(first)
    assert books.beside(second, first)
    assert books.beside(third, second)
    assert not books.beside(third, second), "it is told of once"
    assert not books.beside(OSError(4), OSError(5))


def test_an_error_that_was_recovered_from_is_not_kept_for_that():
    class OwnError(Exception):
        pass

    books, error = Recoveries(), OwnError()
    books.add(error)
    kept = weakref.ref(error)
    assert error in books
    del error
    gc.collect()
    assert kept() is None


@pytest.mark.parametrize("way", ["catch", "recover_with"])
def test_an_error_that_is_passed_on_by_its_recovery_is_a_failure(way):
    with World() as world:
        failing = getattr(Source.of(1).map(down), way)(Source.failed)
        hub = failing.hub(world.system)
        hub.subscribe(FreeSubscriber(world, cancels=False))
        assert hub.run.wait(SECONDS)
        assert hub.run.state == "failed"


def test_what_failed_beside_a_section_that_is_restarted_is_not_kept():
    again = two_at_once().restart(Backoff(0.001, 0.001), max_restarts=20)
    with World() as world:
        run = world.start(again.to(Sink.list()))
        with pytest.raises(StageError):
            run.result()
        assert len(run._scope._recoveries._beside) <= 1


def test_what_failed_beside_a_stream_that_is_forgiven_is_reported():
    context = Mock()
    context.logic.outlets = ()
    context.scope.recovered.return_value = [beside := OSError(2)]
    Member.forgive(context, error := OSError(1))
    context.scope.recovered.assert_called_once_with(error)
    assert [call.args[2] for call in context.report.call_args_list] == [beside, error]
