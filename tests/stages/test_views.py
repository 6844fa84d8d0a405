# mypy: disable-error-code="var-annotated"
"""Frames whose tuples are made when somebody looks at them."""

from operator import length_hint

from hypothesis import given
from hypothesis import strategies as st

from actors_rs.stages.chunks.views import Numbered, View, Windows, begun
from actors_rs.stages.operators.sliding import Sliding
from actors_rs.stages.operators.with_index import WithIndex
from actors_rs.stages.ports import Inlet
from tests.stages.harness import Alone

frames = st.lists(st.integers(), min_size=1, max_size=12).flatmap(
    lambda elements: st.sampled_from((elements, tuple(elements), range(5, 5 + len(elements))))
)
places = st.integers(-14, 14)
slices = st.slices(14)


def views(frame):
    """Views of ``frame``, each with the list of what is in it."""
    elements = list(frame)
    widths = range(1, len(elements) + 1)
    yield Numbered(frame, 3), list(enumerate(elements, 3))
    for width in widths:
        begins = range(len(elements) - width + 1)
        yield Windows(frame, width), [tuple(elements[begin : begin + width]) for begin in begins]


def place_in(elements, place):
    try:
        return elements[place]
    except IndexError:
        return IndexError


@given(frames, places, slices, slices)
def test_a_view_is_a_sequence_of_the_tuples_a_list_would_hold(frame, place, part, part_of_it):
    for view, model in views(frame):
        assert (len(view), list(view), list(view)) == (len(model), model, model)
        assert place_in(view, place) == place_in(model, place)
        assert list(view[part]) == model[part]
        assert list(view[part][part_of_it]) == model[part][part_of_it]


@given(frames, st.integers(0, 12))
def test_it_is_known_how_many_of_its_elements_are_left(frame, drawn):
    for view, model in [*views(frame), (frame, list(frame))]:
        elements, rest = begun(view)
        for _ in range(min(drawn, len(model))):
            next(elements)
        left = len(model) - min(drawn, len(model))
        assert (length_hint(rest), len(list(elements))) == (left, left)


@given(frames)
def test_windows_tell_what_begins_none_of_them(frame):
    elements = list(frame)
    for width in range(1, len(elements) + 1):
        assert Windows(frame, width).tail() == elements[len(elements) - width + 1 :]


def test_an_inlet_that_does_not_say_it_takes_views_gets_lists():
    for takes_views, kind in ((False, list), (True, Numbered)):
        inlet = Inlet(window=8)
        inlet.takes_views = takes_views
        inlet.open()
        inlet.push(Numbered("abc", 0))
        frame = inlet.take(8)
        assert (type(frame), list(frame)) == (kind, [(0, "a"), (1, "b"), (2, "c")])


class Frames(Alone):
    """One that notes the frames themselves."""

    def __init__(self, logic):
        super().__init__(logic)
        self.kinds = []
        push = self.down.push

        def noting(frame):
            self.kinds.append(type(frame))
            push(frame)

        self.down.push = noting


@given(st.lists(st.integers(1, 9), max_size=9), st.integers(1, 7), st.integers(1, 3))
def test_however_a_stream_is_cut_into_frames_the_views_of_it_are_the_same_tuples(sizes, size, step):
    total = sum(sizes)
    made = ((WithIndex(4), enumerate(range(total), 4)), (Sliding(size, step), windows(total, size)))
    for logic, expected in made:
        stage = Frames(logic).request(1000)
        begin = 0
        for count in sizes:
            stage.push(*range(begin, begin + count))
            begin += count
        stage.complete()
        steps = step if isinstance(logic, Sliding) else 1
        assert stage.down.elements == list(expected)[::steps]


def windows(total, size):
    return [tuple(range(begin, begin + size)) for begin in range(total - size + 1)]


def test_operators_that_make_tuples_of_whole_frames_give_views():
    for logic in (WithIndex(0), Sliding(2, 1)):
        stage = Frames(logic).request(1000)
        for _ in range(4):
            stage.push(*range(4))
        assert issubclass(stage.kinds[-1], View)
