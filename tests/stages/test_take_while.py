# mypy: disable-error-code="var-annotated"
"""What take_while gives is what it got, or its beginning."""

from functools import partial

import pytest

from actors_rs.stages.failure import OnFailure
from actors_rs.stages.operators.take_while import TakeWhile
from tests.stages.harness import Alone


class Kept(Alone):
    """Keeps the frames it gave, and gets frames as they are."""

    def __init__(self, predicate):
        super().__init__(TakeWhile(predicate))
        self.frames, note = [], self.down.push

        def push(frame):
            self.frames.append(frame)
            note(frame)

        self.down.push = push
        self.request(1000)
        for size in (1, 2, 4, 8):  # its chunks grow
            self.push(*[0] * size)

    def push_frame(self, frame):
        self.frames.clear()
        return self.turn(partial(self.logic.inlet.push, frame))


@pytest.mark.parametrize("frame", [range(9), tuple(range(9)), list(range(9))])
def test_a_frame_that_fits_goes_on_whole_and_else_its_beginning_does(frame):
    whole = Kept(lambda n: n < 20).push_frame(frame)
    assert whole.frames == [[*frame]]
    cut = Kept(lambda n: n < 5).push_frame(frame)
    assert (cut.frames, cut.down.completed, cut.up.cancelled) == ([[*range(5)]], True, True)
    none = Kept(lambda n: n < 0 or not n).push_frame(frame[1:])
    assert (none.frames, none.down.completed) == ([], True)


def test_what_came_before_an_element_that_raises_is_given_and_what_is_behind_it_is_not_asked_for():
    asked = []

    def picky(n):
        asked.append(n)
        return 1 // (n - 5) or True

    stage = Kept(picky).push_frame(range(9))
    assert stage.frames == [[*range(5)]]
    assert (stage.down.error.position, stage.up.cancelled) == (20, True)
    assert asked[-2:] == [4, 5]


def test_where_nothing_was_drawn_nothing_is_given():
    stage = Kept(lambda n: True)

    def out_of_depth(elements):
        raise RecursionError

    stage.logic.collect = lambda elements, out: out_of_depth(elements)
    stage.push_frame(range(9))
    assert stage.frames == []
    assert stage.down.error is not None


def test_what_is_passed_over_is_left_out_of_what_goes_on():
    stage = Kept(lambda n: n < 20)
    stage.logic.on_failure = OnFailure("resume")
    stage.push_frame(["a", *range(9), "b", 30, 1])
    assert stage.down.elements[15:] == list(range(9))
    assert [element for element, *_ in stage.letters] == ["a", "b"]
