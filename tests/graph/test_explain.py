"""``Graph.explain()``: its statements hold when the graph runs."""

import re

import pytest

from actors_rs import ActorSystem, Backoff, Feedback, Flow, Graph, Sink, Source
from actors_rs.errors import GraphError
from tests.graph.helpers import SECONDS


def three():
    return Source.range(0, 3)


def same(x):
    return x


def section_of(text, title):
    """The lines below ``title``, up to the next title."""
    _, _, rest = text.partition(f"{title}\n")
    lines = []
    for line in rest.splitlines():
        if not line.startswith(" "):
            break
        lines.append(line[2:])
    return lines


def islands(graph):
    return section_of(graph.explain(), "Islands: stages that share an actor")


def windows(graph, system=None):
    return section_of(graph.explain(system), "Windows: elements that a link holds at most")


def held_at_most(graph, system=None):
    return section_of(graph.explain(system), "Held at most")


def waits(graph):
    return section_of(graph.explain(), "What waits for what")


def failures(graph):
    return section_of(graph.explain(), "When an element fails")


# Islands.


def test_each_actor_is_named_with_its_stages_and_the_call_that_fused_them():
    flow = three().map(same).async_boundary().map(same)
    graph = flow.to(Sink.list().with_attributes(dispatcher="pinned")).fuse()
    first, second, third, *apart = islands(graph)
    assert first.startswith("island 1: range, map (one actor, by fuse() at ")
    assert "test_explain.py:" in first
    assert second == "island 2: map-2 (an actor of its own)"
    assert third == "island 3: list (an actor of its own, dispatcher 'pinned')"
    assert apart == [
        "'map' and 'map-2' are fused but apart: async_boundary() after 'map'",
        "'map-2' and 'list' are fused but apart: dispatchers 'pool' and 'pinned'",
    ]


WHY_APART = {
    "throughput 3 and default": lambda: three().with_attributes(throughput=3).to(Sink.list()),
    "'from_iterable' may wait for its next element": lambda: Source.from_iterable(
        lambda: range(3)
    ).to(Sink.list()),
}


@pytest.mark.parametrize("why", WHY_APART)
def test_fused_stages_that_are_apart_say_why(why):
    assert islands(WHY_APART[why]().fuse())[-1].endswith(f"are fused but apart: {why}")


def test_stages_that_nobody_fused_are_actors_of_their_own():
    assert islands(three().map(same).to(Sink.list())) == [
        f"island {number}: {name} (an actor of its own)"
        for number, name in enumerate(("range", "map", "list"), 1)
    ]


def test_a_graph_that_is_not_closed_cannot_be_explained():
    one, _ = three().broadcast(2)
    with pytest.raises(GraphError, match="outlet 1 of stage 'broadcast' feeds nothing"):
        one.to(Sink.list()).explain()


def test_explaining_calls_no_function_of_the_user():
    def refuse(*_):
        raise AssertionError("called")

    flow = Source.from_iterable(refuse).map(refuse).flat_map(refuse, breadth=2).group_by(refuse, 3)
    assert (
        flow.flat_map(refuse, breadth=3)
        .on_failure(decider=refuse)
        .to(Sink.for_each(refuse))
        .explain()
    )


# Windows, and elements in flight


def test_each_link_has_its_window_and_where_it_comes_from():
    flow = three().map(same).with_attributes(window=7).map_async(same, 2)
    with ActorSystem(window=100) as system:
        assert windows(flow.to(Sink.list()), system) == [
            "range -> map: 7 (as you say)",
            "map -> map_async: 16",
            "map_async -> list: 100",
        ]


def test_windows_that_follow_the_pace_say_so():
    with ActorSystem(window="auto") as system:
        assert windows(three().to(Sink.list()), system) == ["range -> list: 4,096 (automatic)"]


def test_what_stages_hold_by_their_settings_is_named():
    flow = three().buffer(50, "drop_oldest").map_async(same, 4).batch(10)
    with ActorSystem(window=4096) as system:
        total, batch, unknown = held_at_most(flow.to(Sink.list()), system)
    assert "50 in 'buffer'" in total
    assert "8 in 'map_async'" in total
    assert batch == "'batch' gives lists of up to 10, of which each counts as one element"
    assert unknown.startswith("bytes: not known before the run")
    assert "actors-rs run --memory-limit 1GiB" in unknown


def test_stages_that_keep_elements_as_the_data_has_it_are_named_as_not_counted():
    graph = three().group_by(same, 5).flat_map(same, breadth=5).to(Sink.list())
    assert "not counted: elements that 'group_by' may keep for longer" in held_at_most(graph)


def test_inner_streams_are_counted_and_bounded():
    graph = three().flat_map(lambda x: Source.of(x), breadth=3).to(Sink.list())
    with ActorSystem(window=1000) as system:
        total, inner, _ = held_at_most(graph, system)
    assert "1,000 in 'flat_map'" in total
    assert inner == (
        "'flat_map' runs up to 3 inner streams at a time, whose ends hold 1,000; "
        "a link within one holds a window more"
    )


HELD = {
    "a source and a sink": lambda source: source,
    "a map": lambda source: source.map(same),
    "three maps": lambda source: source.map(same).map(same).map(same),
    "fused maps": lambda source: source.map(same).map(same).fuse(),
    "small windows": lambda source: source.map(same).with_attributes(window=64).map(same),
    "calls": lambda source: source.map_async(same, 4),
    "a buffer": lambda source: source.buffer(50),
    "sorted": lambda source: source.sort_within(50),
    "inner streams": lambda source: source.flat_map(lambda x: [x], breadth=4),
    "a section": lambda source: source.via(Flow().map(same).map(same).restart()),
    "branches": lambda source: _meet(*source.broadcast(2)),
    "a stream that comes first": lambda source: three().filter(lambda _: False).concat(source),
}


def _meet(one, other):
    return one.map(same).zip(other.map(same)).map(lambda pair: pair[0])


@pytest.mark.parametrize("how", HELD)
def test_no_more_elements_are_held_than_it_says(how):
    given, most, taken = 0, 0, 0

    def elements():
        nonlocal given
        for number in range(30_000):
            given += 1
            yield number

    def take(_):
        nonlocal most, taken
        taken += 1
        most = max(most, given - taken)

    with ActorSystem(workers=2, window=512, shutdown_timeout=SECONDS) as system:
        graph = HELD[how](Source.from_iterable(elements)).to(Sink.for_each(take))
        said = re.match(r"([\d,]+) elements", held_at_most(graph, system)[0])
        system.start(graph).result(SECONDS)
    assert said is not None
    assert taken == 30_000
    assert most <= int(said[1].replace(",", ""))


def test_a_limit_of_memory_bounds_the_bytes():
    with ActorSystem(memory_limit="1 GiB") as system:
        *_, size = held_at_most(three().map(same).to(Sink.list()), system)
    assert size == "bytes: 1 GiB on all links of the system, by its memory_limit"


def test_links_that_a_limit_of_memory_does_not_bound_are_named():
    one, other = three().broadcast(2)
    graph = one.batch(100).named("hundreds").zip(other.map(same)).map(same).to(Sink.list())
    with ActorSystem(memory_limit="1 GiB") as system:
        text = graph.explain(system)
    note = "(the memory limit does not bound it: others go on only if it holds so many)"
    assert f"broadcast -> hundreds: 4,096 {note}" in text
    asked = "automatic, no more than downstream has asked for"
    assert f"range -> broadcast: 4,096 ({asked})" in text
    assert "zip -> map-2: 40 (automatic)" in text
    assert "by its memory_limit, except 4 links that it does not bound" in text


def test_the_buffer_of_a_loop_is_named_as_not_bounded_and_the_other_links_are():
    loop = Feedback[int](buffer=64)
    merged = loop.source.merge_preferred(three()).map(same)
    graph = merged.divert_to(loop.sink, lambda x: x > 9).to(Sink.list())
    with ActorSystem(memory_limit="1 GiB") as system:
        text = graph.explain(system)
    assert "feedback -> merge_preferred: 64 (the memory limit does not bound it" in text
    assert "except 1 link that it does not bound" in text


def test_windows_that_follow_the_pace_bound_the_bytes_of_each_link():
    with ActorSystem(window="auto") as system:
        *_, size = held_at_most(three().map(same).to(Sink.list()), system)
    assert size == "bytes: 32 MiB on the links, 16 MiB or one element each"


def test_chunks_of_a_known_size_bound_the_bytes():
    graph = Source.bytes("/dev/null", 1024).to(Sink.ignore())
    assert held_at_most(graph)[-1] == "bytes: 4 MiB on the links"


# Waits.


def test_each_stage_says_whom_it_waits_for_and_by_which_rule():
    one, other = three().named("orders").broadcast(2)
    lines = waits(one.map(same).zip(other).to(Sink.list()))
    assert lines[:2] == [
        "orders: for requests of 'broadcast'",
        "  gives what was asked for and no more",
    ]
    at = lines.index("zip: for elements of 'map' and 'broadcast' and for requests of 'list'")
    assert "the slowest sets the pace" in lines[at + 1]


def test_a_stage_of_ones_own_has_no_rule():
    from actors_rs.stages.operators.map import Map

    class Mine(Map):
        pass

    lines = waits(three().then("mine", lambda: Mine(same)).to(Sink.list()))
    at = lines.index("mine: for elements of 'range' and for requests of 'list'")
    assert lines[at + 1].startswith("list:")


# Failures.


def test_each_policy_says_what_it_does():
    def choose(error, element):
        return "resume"

    flow = three().map(same).on_failure("resume").map(same).on_failure("restart")
    graph = flow.map(same).on_failure(decider=choose).to(Sink.list())
    stop = "the first failure cancels upstream and ends the run"
    assert failures(graph) == [
        f"range, list: stop: {stop}",
        "map: resume: the element becomes a dead letter, the next one is handled",
        "map-2: restart: the element and what the stage had collected become dead letters, "
        "and it goes on with fresh state",
        f"map-3: choose(error, element) decides; if 'stop', {stop}",
    ]


def test_a_failure_that_a_later_stage_deals_with_ends_no_run():
    graph = three().map(same).recover(lambda error: 0).to(Sink.list())
    dealt, ends = failures(graph)
    assert dealt == (
        "range, map: stop: the first failure cancels upstream, and 'recover' deals with it"
    )
    assert ends == "recover, list: stop: the first failure cancels upstream and ends the run"


def test_a_failure_that_only_one_branch_deals_with_ends_the_other():
    one, other = three().map(same).broadcast(2)
    graph = Graph(one.recover(lambda error: 0).to(Sink.list()), other.to(Sink.list()))
    assert failures(graph)[0].endswith("and 'recover' deals with it; elsewhere it ends the run")


def test_calls_that_are_made_again_are_named():
    graph = three().map_async(same, 2, retry=Backoff(0.1), max_attempts=4).to(Sink.list())
    assert "map_async: 4 calls for an element, then stop: " in failures(graph)[1]


def test_a_section_says_how_it_restarts_and_what_is_within_it():
    part = Flow().map(same).on_failure("resume").filter(same).restart(Backoff(0.1, 5), 3, 60)
    graph = three().via(part).to(Sink.list())
    assert failures(graph)[1] == (
        "section: restart of the section, which is made anew after 0.1 to 5 s; after 3 restarts "
        "within 60 s, the first failure cancels upstream and ends the run"
    )
    text = graph.explain()
    assert section_of(text, "Windows: elements that a link holds at most, in 'section'") == [
        "section (in) -> map: 4,096 (automatic)",
        "map -> filter: 4,096 (automatic)",
        "filter -> section (out): 4,096 (automatic)",
    ]
    assert section_of(text, "When an element fails, in 'section'") == [
        "map: resume: the element becomes a dead letter, the next one is handled",
        "filter: stop: the first failure cancels upstream and ends the stream",
    ]


def test_streams_that_come_later_are_explained_too():
    graph = three().concat(three().map(same)).to(Sink.list())
    title = "Islands: stages that share an actor, in 'concat'"
    assert section_of(graph.explain(), title) == [
        "island 1: range (an actor of its own)",
        "island 2: map (an actor of its own)",
    ]
