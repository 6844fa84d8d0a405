"""A stage takes short frames that wait together: else a long chain gets ever shorter frames."""

import pytest

from actors_rs.stages.chunks.chunk import FRAME
from actors_rs.stages.chunks.views import Numbered
from actors_rs.stages.operators.map import Map
from actors_rs.stages.sinks.for_each import ForEach
from tests.stages.harness import Alone


def waiting(logic, *frames):
    """A stage whose chunks are large; nobody has asked for what comes of ``frames``."""
    logic.chunk.size = logic.chunk.most
    stage = Alone(logic)
    logic.inlet._requested = sum(len(frame) for frame in frames)
    for frame in frames:
        logic.inlet.push(frame)
    return stage


def taken_sizes(logic):
    sizes = []
    while logic.inlet.buffered:
        sizes.append(len(logic.inlet.take_joined(FRAME)))
    return sizes


def test_short_frames_come_out_as_one():
    stage = waiting(Map(abs), [1, 2], range(3, 5), (5,))
    assert stage.down.elements == []
    stage.request(100)
    assert stage.down.frames == [[1, 2, 3, 4, 5]]


@pytest.mark.parametrize("logic", [Map(abs), ForEach(abs)], ids=["operator", "sink"])
def test_a_short_frame_does_not_cut_the_long_one_behind_it(logic):
    waiting(logic, [1], [2], range(1000), [3], [4])
    assert taken_sizes(logic) == [2, 1000, 2]


def test_a_view_stays_one_though_it_is_short():
    logic = Map(abs)
    view = Numbered(["a", "b"], 0)
    waiting(logic, view, [1], view)
    assert logic.inlet.take_joined(FRAME) is view
    assert logic.inlet.take_joined(FRAME) == [1]
    assert logic.inlet.take_joined(FRAME) is view


def test_no_more_is_taken_than_asked_for():
    stage = waiting(Map(abs), [1, 2], [3, 4], [5, 6])
    stage.request(5)
    assert stage.down.elements == [1, 2, 3, 4, 5]


def test_the_rest_of_a_frame_is_joined_with_what_waits():
    logic = Map(abs)
    waiting(logic, [1, 2, 3], [4])
    logic.inlet.untake(logic.inlet.take_joined(2)[1:])
    assert list(logic.inlet.take_joined(FRAME)) == [2, 3, 4]
