# mypy: disable-error-code="arg-type, misc, var-annotated"
"""An iterator that a run has drawn to its end is no empty stream for the next one."""

import pytest

from actors_rs import Flow, Sink, Source
from actors_rs.errors import GraphError, StageError
from tests.graph.helpers import SECONDS

NUMBERS = [0, 1, 2]
ITERATORS = {
    "map": lambda: map(int, NUMBERS),
    "filter": lambda: filter(lambda _: True, NUMBERS),
    "of a list": lambda: iter(NUMBERS),
    "until a value": lambda: iter(iter([*NUMBERS, None]).__next__, None),
    "generator": lambda: (n for n in NUMBERS),
}
HOSTS = {
    "alone": lambda rows: rows,
    "fused": lambda rows: rows.map(int).fuse(),
    "drawn": lambda rows: Source.of(0).flat_map(lambda _: rows),
    "merged": lambda rows: Source.of(0).flat_map(lambda _: rows, 2),
}


class Reader:
    """Gives what has been put in; its end is one until there is more, as that of a log file is."""

    def __init__(self, *values):
        self.values = [*values]
        self.closed = 0

    def __iter__(self):
        return self

    def __next__(self):
        if not self.values:
            raise StopIteration
        return self.values.pop(0)

    def close(self):
        self.closed += 1


class Restarting:
    """An iterator that begins anew with every ``iter``."""

    def __iter__(self):
        self.left = iter(range(500))
        return self

    def __next__(self):
        return next(self.left)


def used_up(flow: Flow) -> None:
    with pytest.raises(StageError, match=r"expected an? .* that goes on, got") as caught:
        flow.run(Sink.list())
    assert isinstance(caught.value.__cause__, GraphError)
    assert "give the function that makes it" in str(caught.value)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("kind", ITERATORS)
def test_a_second_run_over_an_iterator_that_has_ended_fails(kind, host):
    flow = HOSTS[host](Source.from_iterable(ITERATORS[kind]()))
    assert flow.run(Sink.list()) == NUMBERS
    used_up(flow)
    used_up(flow)


def test_so_does_that_of_a_second_subscriber(shared):
    publisher = shared.publisher(Source.from_iterable(map(int, NUMBERS)))
    first, second = (shared.subscriber(Sink.list()) for _ in range(2))
    publisher.subscribe(first)
    assert first.run.result(SECONDS) == NUMBERS
    publisher.subscribe(second)
    with pytest.raises(StageError, match=r"GraphError: .* got one that has ended"):
        second.run.result(SECONDS)


@pytest.mark.parametrize("host", HOSTS)
def test_a_function_or_something_that_can_be_iterated_again_gives_all_elements_again(host):
    for rows in (lambda: map(int, NUMBERS), dict.fromkeys(NUMBERS)):
        flow = HOSTS[host](Source.from_iterable(rows))
        assert [flow.run(Sink.list()) for _ in range(3)] == [NUMBERS] * 3


@pytest.mark.parametrize("host", HOSTS)
def test_an_iterator_that_begins_anew_with_iter_gives_each_element_once_in_each_run(host):
    flow = HOSTS[host](Source.from_iterable(Restarting())).take(1000)
    assert [flow.run(Sink.list()) for _ in range(3)] == [list(range(500))] * 3


@pytest.mark.parametrize("host", HOSTS)
def test_a_run_goes_on_where_the_one_before_was_cut_off_and_the_one_behind_the_end_fails(host):
    flow = HOSTS[host](Source.from_iterable(iter(range(100_000))))
    assert flow.take(2).run(Sink.list()) == [0, 1]
    assert flow.run(Sink.last()) == 99_999
    used_up(flow)


@pytest.mark.parametrize("host", HOSTS)
def test_an_iterator_that_has_come_to_give_more_is_drawn_and_closed_as_at_first(host):
    reader = Reader(*NUMBERS)
    flow = HOSTS[host](Source.from_iterable(reader))
    assert flow.run(Sink.list()) == NUMBERS
    assert reader.closed == 1
    used_up(flow)
    reader.values += [7, 8]
    reader.closed = 0
    assert flow.run(Sink.list()) == [7, 8]
    assert reader.closed == 1
    reader.values += range(10_000)
    reader.closed = 0
    assert flow.take(2).run(Sink.list()) == [0, 1]
    assert reader.closed == 1


def test_a_section_begins_again_over_an_iterator_that_failed_and_has_not_ended(shared):
    met = []

    def once(n):
        met.append(n)
        if met == [0, 1]:
            raise OSError("once")
        return n

    flow = Source.from_iterable(map(once, NUMBERS))
    with pytest.raises(StageError, match="once"):
        flow.run(Sink.list())
    assert flow.run(Sink.list()) == [2]
    used_up(flow)
