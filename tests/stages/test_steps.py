"""How a stage draws from an iterator that may wait at any element."""

from collections.abc import Callable, Iterator
from functools import partial
from operator import length_hint

import pytest

from actors_rs.stages.chunks.chunk import CALLS, CHUNK_SECONDS, FRAME
from actors_rs.stages.chunks.steps import Steps


class Filling:
    """An outlet, a clock, and iterators that let time pass."""

    def __init__(self) -> None:
        self.overdue = False
        self.time = self.lapped = 0.0
        self.drawn = 0
        self.looks: list[int] = []  # how many elements were drawn at each look at the clock
        self.steps = Steps(self)

    def lap(self) -> float:
        self.looks.append(self.drawn)
        seconds, self.lapped = self.time - self.lapped, self.time
        return seconds

    def numbers(self, size: int, each: float = 0.0, late: int = -1) -> Iterator[int]:
        for n in range(size):
            self.time += each
            self.drawn += 1
            if n == late:
                self.overdue = True  # as if somebody had looked while it waited
            yield n

    def draw(self, elements: Iterator[int], most: int = 10**6, watched: bool = True) -> list[int]:
        out: list[int] = []
        self.overdue = False
        self.going_on = self.steps.draw(elements, out, most, self.lap, watched)
        return out


@pytest.mark.parametrize("late", [0, 1, 100, 2_000])
def test_an_iterator_that_waits_is_left_after_the_element_that_it_gives_next(late: int) -> None:
    filling = Filling()
    filling.draw(filling.numbers(20_000))  # its chunks become large
    numbers = filling.numbers(5_000, late=late)
    assert filling.draw(numbers) == list(range(late + 1))
    assert filling.going_on
    assert filling.draw(numbers) == list(range(late + 1, 5_000))
    assert not filling.going_on


@pytest.mark.parametrize(("watched", "most"), [(True, FRAME), (False, CALLS)])
def test_the_clock_is_read_once_a_chunk(watched: bool, most: int) -> None:
    filling = Filling()
    filling.draw(filling.numbers(20_000), watched=watched)
    apart = [later - look for look, later in zip(filling.looks, filling.looks[1:], strict=False)]
    assert max(apart) == most


def test_what_was_drawn_within_a_millisecond_is_a_frame() -> None:
    filling = Filling()
    numbers, each = filling.numbers(10**6, each=CHUNK_SECONDS / 1_000), CHUNK_SECONDS / 1_000
    frames = [filling.draw(numbers) for _ in range(50)]
    assert max(map(len, frames)) * each <= 1.3 * CHUNK_SECONDS
    drawn = [n for frame in frames for n in frame]
    assert drawn == list(range(len(drawn)))


def test_a_slow_iterator_gives_each_element_by_itself() -> None:
    filling = Filling()
    numbers = filling.numbers(20, each=2 * CHUNK_SECONDS)
    assert [filling.draw(numbers) for _ in range(20)] == [[n] for n in range(20)]


def test_no_more_is_drawn_than_is_demanded() -> None:
    filling, at_hand = Filling(), iter(range(100))
    assert filling.draw(filling.numbers(500), most=77) == list(range(77))
    assert filling.drawn == 77
    ready: Callable[[], int] = partial(length_hint, at_hand)
    out: list[int] = []
    assert filling.steps.draw(at_hand, out, 60, filling.lap, True, ready)
    assert (out, next(at_hand)) == (list(range(60)), 60)
