# mypy: disable-error-code="union-attr, var-annotated"
"""A failure within a frame, or of the elements before and after it: nothing else suffers."""

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import StageError
from actors_rs.testing.world.world import World

WINDOW = 64


@pytest.mark.parametrize("place", range(12))
def test_average_passes_over_what_cannot_be_added_and_nothing_else(place):
    elements = list(range(12))
    bad = [*elements[:place], "none", *elements[place:]]
    with World(window=WINDOW) as world:
        flow = Source.of(*bad).average().on_failure("resume")
        assert world.start(flow.to(Sink.list())).result() == [sum(elements) / 12]


@pytest.mark.parametrize("place", range(12))
def test_average_names_the_element_that_cannot_be_added(place):
    bad = [*[1] * place, "none", *[1] * (12 - place)]
    with World(window=WINDOW) as world:
        run = world.start(Source.of(*bad).average().to(Sink.list()))
        with pytest.raises(StageError) as caught:
            run.result()
    assert caught.value.position == place


class Functions:
    """Functions 0 to 3, of which 1 and 2 raise, and which of them were called."""

    def __init__(self):
        self.called = []

    def __iter__(self):
        return iter([lambda number=number: self._call(number) for number in range(4)])

    def _call(self, number):
        self.called.append(number)
        if number in (1, 2):
            raise KeyError(number)
        return number


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("edge", ["start_with_get", "end_with_get"])
def test_behind_a_function_that_raises_no_other_is_called(edge, fused):
    functions, seen = Functions(), []
    flow = getattr(Source.of("a").map(str), edge)(*functions)
    flow = flow.fuse() if fused else flow
    with World(window=WINDOW) as world:
        run = world.start(flow.to(Sink.for_each(seen.append)))
        with pytest.raises(StageError) as caught:
            run.result()
    assert functions.called == [0, 1]
    assert caught.value.__cause__.args == (1,)
    assert seen == ([0] if edge == "start_with_get" else ["a", 0])
