"""Where stages stand in the drawing."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from actors_rs.graph.drawing.layout import BOX, MOST_INNER, hosts_of, layout


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 30))
    numbers = st.integers(0, count - 1)
    links = draw(st.lists(st.tuples(numbers, numbers).filter(lambda one: one[0] != one[1])))
    return count, links


def placed(made):
    places = [place for place in made.places if place is not None]
    assert len(places) == len(made.places)
    return places


@given(graphs())
def test_a_stage_stands_to_the_right_of_those_that_feed_it(graph):
    count, links = graph
    places = placed(layout(count, links))
    for begin, end in links:
        if begin < end:
            assert places[begin][0] + BOX[0] < places[end][0]


@given(graphs())
def test_no_two_stages_overlap_and_all_are_in_the_picture(graph):
    count, links = graph
    made = layout(count, links)
    for (x, y), (x2, y2) in itertools.combinations(placed(made), 2):
        assert abs(x - x2) >= BOX[0] or abs(y - y2) >= BOX[1]
    for x, y in placed(made):
        assert 0 <= x <= made.width - BOX[0]
        assert 0 <= y <= made.height - BOX[1]


def test_a_loop_moves_nothing():
    assert layout(3, [(0, 1), (1, 2), (2, 1)]).places == layout(3, [(0, 1), (1, 2)]).places


def test_inner_stages_stand_below_their_host_in_its_frame():
    links = [(0, 1), (1, 2), (3, 4), (4, 1)]
    hosts = hosts_of(links, {3: [1]})
    assert hosts == {3: 1, 4: 1}
    made = layout(5, links, hosts)
    [frame], places = made.frames, placed(made)
    for inner in (3, 4):
        assert places[inner][1] > places[1][1] + BOX[1]
        assert frame.x < places[inner][0] < frame.x + frame.width
        assert frame.y < places[inner][1] < frame.y + frame.height


def test_streams_inside_inner_streams_belong_to_the_outermost_host():
    links = [(0, 1), (2, 1), (3, 2)]
    assert hosts_of(links, {2: [1], 3: [2]}) == {2: 1, 3: 1}


def test_of_a_thousand_inner_stages_a_few_are_drawn_and_the_others_counted():
    made = layout(1001, [(n, 0) for n in range(1, 1001)], dict.fromkeys(range(1, 1001), 0))
    assert sum(place is not None for place in made.places) == 1 + MOST_INNER
    assert made.frames[0].hidden == 1000 - MOST_INNER


def test_no_stage_is_an_empty_picture():
    assert layout(0, []).places == ()
