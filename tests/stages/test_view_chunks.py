# mypy: disable-error-code="union-attr, var-annotated"
"""Chunks of views: how much is copied for them, and how much is kept after a failure."""

import gc
import weakref

import pytest

from actors_rs.stages.chunks.frames import Frames
from actors_rs.stages.chunks.views import Numbered, Windows
from actors_rs.stages.operators.filter import Filter
from actors_rs.stages.operators.map import Map
from actors_rs.stages.operators.starmap import Starmap
from tests.stages.harness import Alone
from tests.stages.test_frames import Counting

SIZE = 2000


@pytest.mark.parametrize("most", [1, 3, 400, 1500])
@pytest.mark.parametrize("make", [lambda xs: Numbered(xs, 5), lambda xs: Windows(xs, 3)])
def test_a_view_taken_in_chunks_is_copied_a_few_times_at_most(make, most):
    Counting.copied = 0
    frames, view = Frames(), make(Counting(range(SIZE)))
    expected, got = list(view), list(frames.begin(view, most))
    while frames.begun:
        got += frames.go_on(most)
    assert got == expected
    assert Counting.copied <= 8 * SIZE


class Thing:
    pass


@pytest.mark.parametrize(
    "loop",
    [Map(lambda x: x.gone), Starmap(lambda _, x: x.gone), Filter(lambda x: x.gone)],
    ids=["map", "starmap", "filter"],
)
def test_an_operator_keeps_no_frame_that_failed(loop):
    things = [Thing() for _ in range(10)]
    kept = [weakref.ref(thing) for thing in things]
    alone = Alone(loop).request(10)
    loop.chunk.size = 10
    alone.logic.inlet.push(Numbered(things, 0) if isinstance(loop, Starmap) else things)
    alone.turn()
    error = alone.down.error.__cause__
    assert isinstance(error, AttributeError)
    error.__traceback__ = error.obj = None
    del things, error, alone
    gc.collect()
    assert [ref() for ref in kept] == [None] * 10
