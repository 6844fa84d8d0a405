# mypy: disable-error-code="var-annotated"
"""Which loops end with all their elements, and which are refused when the graph is built."""

import pytest

from actors_rs import ActorSystem, Backoff, Feedback, Flow, Graph, Sink, Source, merge
from actors_rs.errors import GraphError
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.world import World
from tests.graph.helpers import SECONDS, Book


def lower(x):
    return x - 1


def positive(x):
    return x > 0


def summed(closed, loop, out=lambda flow: flow):
    """The loop of ``closed``, in which each sum goes round and comes out as well."""
    back, result = out(closed.map(sum)).broadcast(2)
    return Graph(back.to(loop.sink), result.to(Sink.list()))


def lowered(closed, loop, body=lambda flow: flow):
    """The loop of ``closed``, which a number leaves when it has come to 0."""
    return body(closed.map(lower)).divert_to(loop.sink, positive).to(Sink.list())


def by_last_digit(flow, most, on_overflow="backpressure"):
    groups = flow.group_by(lambda x: x % 10, most, on_overflow)
    return groups.flat_map(lambda group: group.take(3), breadth=most + 1)


def numbers():
    return Source.range(1, 30)


def crossing(buffer):
    """Two loops that share their stages."""
    loop, other = Feedback(buffer), Feedback(buffer)
    flow = other.source.merge(loop.source.merge(numbers())).map(lower)
    odd = flow.divert_to(loop.sink, lambda x: positive(x) and x % 2)
    return odd.divert_to(other.sink, positive).to(Sink.list())


def nested(buffer):
    """A loop on the way of a second one."""
    loop, inside = Feedback(buffer), Feedback(buffer)
    flow = inside.source.merge(loop.source.merge(numbers()).map(lambda x: x)).map(lower)
    inner = flow.divert_to(inside.sink, lambda x: positive(x) and x % 2)
    return inner.divert_to(loop.sink, positive).to(Sink.list())


def primed(close):
    def graph(buffer):
        loop = Feedback(buffer)
        return summed(close(loop.source), loop)

    return graph


def merged(body=lambda flow: flow, close=lambda loop, source: loop.merge(source)):
    def graph(buffer):
        loop = Feedback(buffer)
        return lowered(close(loop.source, numbers()), loop, body)

    return graph


SUMS = [sum(range(1, n + 1)) for n in range(1, 31)]
ZEROS = [0] * 30
WORKING = {
    "zip with a first element": (primed(lambda loop: loop.start_with(0).zip(numbers())), SUMS),
    "zip behind prepend": (primed(lambda loop: loop.prepend(Source.of(0)).zip(numbers())), SUMS),
    "zip behind merge": (primed(lambda loop: loop.merge(Source.of(0)).zip(numbers())), SUMS),
    "zip, loop last": (primed(lambda loop: numbers().zip(loop.start_with(0))), SUMS),
    "merge": (merged(), ZEROS),
    "merge, loop last": (merged(close=lambda loop, source: source.merge(loop)), ZEROS),
    "merge_preferred": (merged(close=lambda loop, source: loop.merge_preferred(source)), ZEROS),
    "section": (merged(lambda flow: flow.via(Flow().map(int).restart(Backoff(0.01)))), ZEROS),
    "groups": (merged(lambda flow: by_last_digit(flow, 10)), ZEROS),
    "groups that are evicted": (merged(lambda flow: by_last_digit(flow, 3, "evict_idle")), ZEROS),
    "diverted groups": (merged(lambda flow: by_last_digit(flow, 3, "divert")), ZEROS),
    "balance": (merged(lambda flow: merge(*(one.map(int) for one in flow.balance(2)))), ZEROS),
    "append": (merged(lambda flow: flow.append(Source.of(0))), [*ZEROS, 0]),
    "fused": (lambda buffer: merged(lambda flow: flow.map(int))(buffer).fuse(), ZEROS),
    "crossing": (crossing, ZEROS),
    "nested": (nested, ZEROS),
}


@pytest.mark.parametrize("buffer", [1, 64])
@pytest.mark.parametrize("loop", WORKING)
def test_a_loop_into_which_elements_get_ends_when_none_is_left(shared, loop, buffer):
    graph, expected = WORKING[loop]
    result = shared.start(graph(buffer)).result(SECONDS)
    assert (result[0] if isinstance(result, tuple) else result) == expected


@pytest.mark.parametrize("loops", [crossing, nested])
def test_loops_that_lead_into_each_other_have_room_for_all_that_they_let_in(loops):
    for seed in range(20):
        with World(RandomWalk(seed), window=8) as world:
            assert world.start(loops(1)).result() == ZEROS


@pytest.mark.parametrize("balanced", ["to the loop", "out of it"])
def test_a_branch_chosen_by_demand_may_lead_back(shared, balanced):
    loop = Feedback(8)
    one, other = loop.source.merge(numbers()).balance(2)
    back, out = (one, other) if balanced == "to the loop" else (other, one)
    result = shared.start(Graph(back.to(loop.sink), out.to(Sink.list()))).result(SECONDS)
    assert sorted(result[0]) == list(range(1, 31))


@pytest.mark.parametrize("way", ["hub", "publisher"])
def test_a_loop_ends_for_foreign_subscribers_too(shared, way):
    loop, book = Feedback(8), Book(first=100)
    flow = loop.source.merge(numbers()).map(lower).divert_to(loop.sink, positive)
    (flow.hub(shared) if way == "hub" else shared.publisher(flow)).subscribe(book)
    assert book.wait() == "complete"
    assert book.elements == ZEROS


def test_a_whole_loop_can_be_a_section_or_an_inner_stream(shared):
    def circling_down(source):
        loop = Feedback(8)
        flow = loop.source.merge_preferred(source).map(lower)
        return flow.divert_to(loop.sink, positive)

    section = numbers().via(circling_down(Flow()).restart(Backoff(0.01)))
    inner = numbers().flat_map(lambda x: circling_down(Source.of(x)), breadth=3)
    for flow in (section, inner):
        assert shared.start(flow.to(Sink.list())).result(SECONDS) == ZEROS


REFUSED = {
    "zip": lambda loop: loop.zip(numbers()),
    "zip, loop last": lambda loop: numbers().zip(loop.filter(bool)),
    "zip_latest": lambda loop: loop.zip_latest(numbers()),
    "combine_latest": lambda loop: loop.combine_latest(numbers()),
    "merge_sorted": lambda loop: loop.merge_sorted(numbers()),
    "interleave": lambda loop: loop.interleave(numbers()),
    "concat": lambda loop: loop.concat(numbers()),
    "append": lambda loop: loop.append(numbers()),
    "if_empty": lambda loop: loop.if_empty(numbers()),
}


@pytest.mark.parametrize("way", REFUSED)
def test_a_loop_that_no_element_can_get_into_is_refused_when_it_is_built(way):
    loop, kind = Feedback(8), way.partition(",")[0]
    flow = REFUSED[way](loop.source.map(lambda x: x)).divert_to(loop.sink, bool)
    said = rf"can get into the loop .*: stage '{kind}' \(made at .*loops_work.py:\d+\) waits for"
    with pytest.raises(GraphError, match=said):
        flow.to(Sink.list())


def test_a_loop_that_nothing_leads_into_is_refused_when_it_is_built():
    loop, other = Feedback(8), Feedback(8)
    with pytest.raises(GraphError, match="nothing leads into it; merge a source into it"):
        loop.source.map(lower).divert_to(loop.sink, positive).to(Sink.list())
    flow = other.source.merge(loop.source).map(lower)
    both = flow.divert_to(loop.sink, bool).divert_to(other.sink, positive)
    with pytest.raises(GraphError, match="nothing leads into it"):
        both.to(Sink.list())


def endless(body):
    loop = Feedback(8)
    flow = body(loop.source.merge(numbers()))
    return flow.to(loop.sink)


WITHOUT_EXIT = {
    "map": lambda flow: flow.map(lower),
    "several": lambda flow: flow.map(lower).delay(0.01).map_async(lower, 2).with_index(),
    "branches": lambda flow: merge(*(branch.map(lower) for branch in flow.broadcast(2))),
}


@pytest.mark.parametrize("way", WITHOUT_EXIT)
def test_a_loop_that_no_element_can_leave_is_refused_when_it_is_built(way):
    said = r"no element can leave the loop of 'feedback' \(made at .*loops_work.py:\d+\)"
    with pytest.raises(GraphError, match=said):
        endless(WITHOUT_EXIT[way])


WITH_EXIT = {
    "filter": lambda flow: flow.map(lower).filter(positive),
    "a policy that leaves elements out": lambda flow: flow.map(
        lambda x: 100 // x and x - 1
    ).on_failure("resume"),
    "take": lambda flow: flow.map(lower).take(50),
    "a function that gives lists": lambda flow: flow.flat_map(lambda x: [x - 1] if x > 1 else []),
}


@pytest.mark.parametrize("way", WITH_EXIT)
def test_a_loop_whose_elements_may_end_in_it_is_not_refused(shared, way):
    assert shared.start(endless(WITH_EXIT[way])).result(SECONDS) is None


def test_a_loop_that_some_branch_leads_out_of_is_not_refused():
    loop = Feedback(8)
    back, out = loop.source.merge(numbers()).map(lower).broadcast(2)
    Graph(back.to(loop.sink), out.to(Sink.ignore()))
    other = Feedback(8)
    back, out = other.source.merge(numbers()).map(lower).broadcast(2)
    assert back.to(other.sink) is not None, "its other branch may lead anywhere"


AT_THE_END = {
    "count": lambda flow: flow.count(),
    "reduce": lambda flow: flow.reduce(0, lambda total, x: total + x),
    "sum": lambda flow: flow.sum(),
    "max": lambda flow: flow.max(),
    "last": lambda flow: flow.last(),
}


@pytest.mark.parametrize("kind", AT_THE_END)
def test_a_loop_that_nothing_can_come_round_is_refused_when_it_is_built(kind):
    loop = Feedback(8)
    flow = AT_THE_END[kind](loop.source.merge(numbers()).map(lower)).map(lower)
    said = rf"nothing can come round the loop of 'feedback' .*: stage '{kind}' \(made at"
    with pytest.raises(GraphError, match=said):
        flow.divert_to(loop.sink, positive).to(Sink.list())


def test_a_fold_beside_the_way_back_is_not_refused(shared):
    loop = Feedback(8)
    back, out = loop.source.merge(numbers()).map(lower).filter(positive).broadcast(2)
    result = shared.start(Graph(back.to(loop.sink), out.count().to(Sink.first()))).result(SECONDS)
    assert result[0] == sum(range(30))


@pytest.mark.parametrize("way", ["concat", "prepend", "amb"])
def test_an_end_of_a_loop_in_an_inner_stream_is_refused_with_the_remedy(way):
    loop = Feedback(8)
    flow = getattr(numbers(), way)(loop.source).divert_to(loop.sink, positive)
    with pytest.raises(GraphError, match="is a graph of its own: merge it into the loop"):
        Graph(flow.to(Sink.list())).run()


def test_what_a_stage_gives_when_a_loop_has_ended_cannot_go_round_any_more():
    with ActorSystem() as system:
        late = merged(lambda flow: flow.append(Source.of(5)))(8)
        assert system.start(late).result(SECONDS) == ZEROS
        (letter,) = system.dead_letters.recent()
    assert "came back to a loop that had ended" in str(letter)
