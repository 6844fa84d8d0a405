# mypy: disable-error-code="arg-type, attr-defined, var-annotated"
"""A failure that was dealt with is none of the run; one that was not, still is."""

import pytest

from actors_rs import ActorSystem, Graph, Sink, Source
from actors_rs.errors import StageError
from actors_rs.stages.operators.catch import Catch
from tests.graph.helpers import SECONDS
from tests.stages.harness import Alone


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def test_an_error_that_was_caught_is_no_failure_of_the_run(system):
    going = system.start(
        Source.of(1, 0).map(lambda n: 1 // n).catch(lambda error: Source.of(error)).to(Sink.list())
    )
    first, error = going.result(SECONDS)
    assert first == 1
    assert isinstance(error, StageError)
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert going.state == "completed"


def test_an_error_caught_in_one_branch_still_fails_the_other(system):
    one, other = Source.of(1, 0).map(lambda n: 1 // n).broadcast(2)
    graph = Graph(one.catch(lambda _: Source.of(5)).to(Sink.list()), other.to(Sink.list()))
    with pytest.raises(StageError, match="ZeroDivisionError"):
        system.start(graph).result(SECONDS)


def test_a_failure_while_catching_is_the_runs_with_the_first_one(system):
    def f(error):
        raise ValueError("while catching")

    going = system.start(Source.failed(KeyError(1)).catch(f).to(Sink.list()))
    with pytest.raises(KeyError) as caught:
        going.result(SECONDS)
    (other,) = caught.value.others
    assert isinstance(other.__cause__, ValueError)


def test_catch_is_not_called_behind_a_cancellation():
    called = []
    alone = Alone(Catch(called.append))
    alone.request(3).push(1, 2).cancel().fail(KeyError("late"))
    assert alone.down.elements == [1, 2]
    assert called == []
