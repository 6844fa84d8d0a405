# mypy: disable-error-code="arg-type, return-value, misc, var-annotated"
"""What functions of the user's return to be drawn from: it is closed, and refused in a sentence."""

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import GraphError, StageError

BREADTHS = (None, 3)


class Books:
    """How many generators were begun and how many have ended."""

    def __init__(self):
        self.kept = []  # or the collector would close what nobody closed
        self.ended = 0

    def numbers(self, count):
        drawn = self._numbers(count)
        self.kept.append(drawn)
        return drawn

    def _numbers(self, count):
        try:
            yield from range(count)
        finally:
            self.ended += 1


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("breadth", BREADTHS)
def test_an_iterator_that_is_cut_off_in_a_flat_map_is_closed_before_the_run_ends(breadth, fused):
    books = Books()
    flow = Source.of(5, 5, 5000).flat_map(books.numbers, breadth).take(20)
    assert len((flow.fuse() if fused else flow).run(Sink.list())) == 20
    assert books.ended == len(books.kept) == 3


def test_an_iterator_in_a_flat_map_is_closed_too_when_a_stage_behind_it_fails():
    books = Books()
    with pytest.raises(StageError):
        Source.of(5000).flat_map(books.numbers).map(lambda n: 1 // (n - 20)).run(Sink.count())
    assert books.ended == 1


@pytest.mark.parametrize("breadth", BREADTHS)
@pytest.mark.parametrize("wanted", [4, 1000])
def test_files_that_a_flat_map_was_given_are_closed_read_to_the_end_or_not(
    tmp_path, breadth, wanted
):
    path = tmp_path / "lines"
    path.write_text("a\nb\nc\n")
    opened = []

    def lines(_):
        opened.append(path.open())
        return opened[-1]

    Source.range(0, 3).flat_map(lines, breadth).take(wanted).run(Sink.count())
    assert opened
    assert all(file.closed for file in opened)


def test_an_iterator_that_cannot_be_closed_fails_the_run_by_the_name_of_its_stage():
    def numbers(_):
        try:
            yield from range(1000)
        finally:
            raise OSError("still in use")

    with pytest.raises(StageError, match=r"'inner' failed.*still in use"):
        Source.of(1).flat_map(numbers).named("inner").take(1).run(Sink.list())


@pytest.mark.parametrize("breadth", BREADTHS)
def test_a_generator_that_has_ended_is_no_empty_inner_stream(breadth):
    ended = iter(n for n in ())
    assert list(ended) == []
    with pytest.raises(StageError, match="one that has ended") as caught:
        Source.of(1).flat_map(lambda _: ended, breadth).run(Sink.list())
    assert isinstance(caught.value.__cause__, GraphError)
    assert caught.value.position == 0


@pytest.mark.parametrize(
    ("flow", "says"),
    [
        (
            lambda: Source.of(1).flat_map(lambda _: None),
            "a Source, an iterable or an async iterable, got N",
        ),
        (lambda: Source.of(1).concat_map(lambda _: None), "concat_map: f: expected a Source, an i"),
        (
            lambda: Source.of(1).flat_map(lambda _: 7, 2),
            "a Source, an iterable or an async iterable, got 7",
        ),
        (lambda: Source.of(1).expand(lambda _: 7), "expand: f: expected an iterable, got 7"),
        (lambda: Source.from_iterable(lambda: 7), "from_iterable: expected an iterable, got 7"),
        (lambda: Source.unfold(0, lambda n: 7), r"expected a pair, \(element, next state\)"),
        (lambda: Source.unfold(0, lambda n: (1, 2, 3)), r"unfold: f: .*, got \(1, 2, 3\)"),
        (lambda: Source.of(1).stateful_map(int, lambda s, e: e), r"\(next state, result\), got 1"),
        (lambda: Source.of(1).stateful_map(int, lambda s, e: (1, 2, 3)), r"got \(1, 2, 3\)"),
    ],
)
@pytest.mark.parametrize("behind", ["alone", "drawn"])
def test_what_cannot_be_drawn_or_taken_apart_is_told_in_a_sentence(flow, says, behind):
    stream = flow() if behind == "alone" else Source.of(0).flat_map(lambda _: flow())
    with pytest.raises(StageError, match=says) as caught:
        stream.run(Sink.list())
    assert caught.value.position == 0


def test_an_iterable_that_fails_by_itself_is_not_said_to_be_none():
    class Odd:
        def __iter__(self):
            raise TypeError("not today")

    with pytest.raises(StageError, match="not today"):
        Source.of(1).flat_map(lambda _: Odd()).run(Sink.list())


class Odd(list):
    """A list whose iterator does not know how many are left, nor do those of its parts."""

    def __getitem__(self, place):
        part = super().__getitem__(place)
        return Odd(part) if isinstance(place, slice) else part

    def __iter__(self):
        yield from list(super().__iter__())


@pytest.mark.parametrize("fused", [False, True])
def test_a_list_of_a_class_of_the_users_is_iterated_as_that_says(fused):
    odd = Odd(range(100))
    below = Source.from_iterable(odd).take_while(lambda n: n < 5)
    for graph, expected in (
        (below.to(Sink.list()), [0, 1, 2, 3, 4]),
        (Source.from_iterable(odd).sum().to(Sink.list()), [4950]),
        (Source.of(1).flat_map(lambda _: odd).to(Sink.count()), 100),
    ):
        assert (graph.fuse() if fused else graph).run() == expected
