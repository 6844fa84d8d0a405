# mypy: disable-error-code="func-returns-value"
"""Sources alone, on recorders."""

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import StageError
from actors_rs.stages.sources.empty import Empty
from actors_rs.stages.sources.failed import Failed
from actors_rs.stages.sources.from_iterable import IterableSource
from actors_rs.stages.sources.never import Never
from actors_rs.stages.sources.of import SequenceSource
from actors_rs.stages.sources.repeat import Repeat
from actors_rs.stages.sources.unfold import Unfold
from tests.stages.harness import Alone

TEN = {
    "of": lambda: SequenceSource(tuple(range(10))),
    "range": lambda: SequenceSource(range(10)),
    "iterable": lambda: IterableSource(lambda: iter(range(10))),
    "unfold": lambda: Unfold(0, lambda n: (n, n + 1) if n < 10 else None),
}
every_source = pytest.mark.parametrize("make", TEN.values(), ids=TEN.keys())


@every_source
@pytest.mark.parametrize("step", [1, 3, 10, 2**63 - 1])
def test_a_source_gives_as_much_as_is_demanded_then_completes(make, step):
    stage = Alone(make())
    requested = 0
    while not stage.down.ended:
        requested += step
        stage.request(step)
        assert stage.down.elements == list(range(min(requested, 10)))
    assert stage.down.completed


def test_an_end_known_beforehand_comes_with_the_last_element():
    assert Alone(SequenceSource((1, 2))).request(2).down.completed


@pytest.mark.parametrize("make", [Empty, lambda: SequenceSource(()), lambda: Repeat(1, 0)])
def test_nothing_to_give_completes_without_demand(make):
    assert Alone(make()).down.completed


def test_a_failed_source_fails_without_demand_with_the_error_itself():
    error = ValueError()
    assert Alone(Failed(error)).down.error is error


def test_an_iterable_is_not_touched_before_there_is_demand():
    made = []
    stage = Alone(IterableSource(lambda: made.append(1) or []))
    assert made == []
    stage.request(1)
    assert made == [1]


def test_what_an_iterable_gave_before_it_raised_is_delivered_first():
    def three():
        yield from (1, 2, 3)
        raise OSError("gone")

    stage = Alone(IterableSource(three)).request(100)
    assert stage.down.elements == [1, 2, 3]
    assert stage.down.error.position == 3


@pytest.mark.parametrize("end", ["cancel", "drain"])
def test_a_generator_is_closed_at_any_end(end):
    closed = []

    def endless():
        try:
            while True:
                yield 1
        finally:
            closed.append(1)

    stage = Alone(IterableSource(endless)).request(3)
    getattr(stage, end)()
    assert stage.logic.finished
    stage.logic.stop(None)
    assert closed == [1]


@pytest.mark.parametrize("make", [Never, lambda: Repeat(1, None), *TEN.values()])
def test_draining_completes_a_source(make):
    assert Alone(make()).drain().down.completed


def test_lines_come_without_their_ends_and_a_missing_file_is_named(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("eins\r\nzwei ü\n\nvier".encode())
    assert Source.lines(path).run(Sink.list()) == ["eins", "zwei ü", "", "vier"]
    with pytest.raises(StageError, match=r"none\.txt"):
        Source.lines(tmp_path / "none.txt").run(Sink.list())
