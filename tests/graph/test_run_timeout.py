"""``run(timeout=)``: a run that takes longer is cancelled; the error says what it waited for."""

import pickle

import pytest

from actors_rs import Graph, Sink, Source
from actors_rs.errors import InvalidArgumentError, RunTimeout, StageError
from tests.graph.stuck import Stuck
from tests.runtime.support import eventually


def test_a_run_that_is_over_in_time_gives_its_result():
    assert Source.range(0, 3).run(Sink.list(), timeout=60) == [0, 1, 2]
    assert Source.range(0, 3).to(Sink.sum()).run(timeout=60) == 3


def test_a_run_that_takes_longer_is_cancelled_and_names_the_stages_it_waited_for():
    ended: list[object] = []
    stream = Source.never().named("tail").on_termination(ended.append)
    with pytest.raises(TimeoutError, match=r"had not ended after 0.05 s; it waited for") as caught:
        stream.run(Sink.list(), timeout=0.05)
    assert isinstance(caught.value, RunTimeout)
    assert "stage 'tail' (" in caught.value.waited_for
    assert __file__.rpartition("/")[2] in caught.value.waited_for, "with the line that made it"
    assert caught.value.seconds == 0.05
    assert len(ended) == 1
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.seconds) == (str(caught.value), 0.05)


def test_of_a_run_that_is_in_a_function_of_the_users_the_function_is_named():
    stuck = Stuck()

    def asks_the_server(n: int) -> int:
        return int(stuck(n))

    graph = Graph(Source.of(1).map(asks_the_server).to(Sink.list()), Source.never().to(Sink.list()))
    with pytest.raises(RunTimeout, match=r"stage 'map' .*in .*asks_the_server .* for") as caught:
        graph.run(timeout=0.2)
    assert "never" not in caught.value.waited_for
    stuck.release()
    eventually(lambda: not any(thread.is_alive() for thread in stuck.threads))


def test_a_failure_in_time_is_raised_as_it_is():
    with pytest.raises(StageError, match="ZeroDivisionError"):
        Source.of(0).map(lambda n: 1 // n).run(Sink.list(), timeout=60)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), "2"])
def test_a_time_that_is_none_is_refused(seconds):
    with pytest.raises(InvalidArgumentError, match="run: timeout"):
        Source.of(1).run(Sink.list(), timeout=seconds)
