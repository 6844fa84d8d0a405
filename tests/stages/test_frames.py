"""A line of frames: whatever chunks are taken and put back, the elements come in their order."""

import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs.stages.chunks.frames import Frames
from actors_rs.stages.chunks.views import Numbered
from actors_rs.stages.ports import Inlet

KINDS = {
    "list": lambda begin, size: list(range(begin, begin + size)),
    "tuple": lambda begin, size: tuple(range(begin, begin + size)),
    "range": lambda begin, size: range(begin, begin + size),
}
sizes = st.lists(st.tuples(st.sampled_from(sorted(KINDS)), st.integers(1, 9)), max_size=6)
steps = st.lists(st.tuples(st.integers(1, 12), st.integers(0, 4)), max_size=40)


def inlet_with(frames):
    inlet, begin = Inlet(window=1000), 0
    inlet.open()
    for kind, size in frames:
        inlet.push(KINDS[kind](begin, size))
        begin += size
    return inlet, list(range(begin))


@given(sizes, steps)
def test_elements_come_in_order_whatever_is_taken_and_put_back(frames, takes):
    inlet, left = inlet_with(frames)
    for most, back in takes:
        if not inlet.buffered:
            break
        chunk = list(inlet.take(most))
        assert 1 <= len(chunk) <= most
        assert chunk == left[: len(chunk)]
        rest = chunk[len(chunk) - min(back, len(chunk)) :]
        inlet.untake(rest)
        del left[: len(chunk) - len(rest)]
        assert inlet.buffered == len(left)
    assert [element for frame in inlet._frames.left() for element in frame] == left


def test_a_frame_that_was_given_is_not_changed_when_parts_of_it_are_taken():
    shared = list(range(10))
    inlet = Inlet(window=100)
    inlet.open()
    inlet.push(shared)
    taken = [inlet.take(3), inlet.take(3), inlet.take(9)]
    assert [list(chunk) for chunk in taken] == [[0, 1, 2], [3, 4, 5], [6, 7, 8, 9]]
    assert shared == list(range(10))


class Element:
    pass


@pytest.mark.parametrize("wrap", [list, tuple, lambda frame: Numbered(frame, 0)])
def test_what_was_taken_of_a_frame_is_not_kept_with_the_rest(wrap):
    frames, elements = Frames(), [Element() for _ in range(4)]
    alive = [weakref.ref(element) for element in elements]
    frames.begin(wrap(elements), 1)
    del elements
    frames.go_on(1)
    gc.collect()
    assert [one() is not None for one in alive] == [False, False, True, True]


def test_a_range_in_parts_stays_a_range():
    frames = Frames()
    assert frames.begin(range(10**12), 5) == range(5)
    assert frames.go_on(7) == range(5, 12)
    assert frames.go_on(10**12) == range(12, 10**12)
    assert not frames.begun


class Counting(list):
    """Counts the elements that are copied out of it."""

    copied = 0

    def __getitem__(self, index):
        got = super().__getitem__(index)
        if isinstance(index, slice):
            Counting.copied += len(got)
            return Counting(got)
        return got


def test_a_frame_taken_one_by_one_is_copied_once_and_not_for_every_chunk():
    Counting.copied = 0
    frames = Frames()
    frames.begin(Counting(range(1000)), 1)
    for _ in range(999):
        frames.go_on(1)
    assert Counting.copied == 1000
