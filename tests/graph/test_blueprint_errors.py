# mypy: disable-error-code="arg-type, call-overload, type-var, var-annotated"
"""A graph that cannot run: what was expected, what came, and the line where the stage was made.

All but one are raised when the blueprint is put together, not when it is started.
"""

import inspect

import pytest

from actors_rs import ActorSystem, Flow, Graph, Sink, Source, merge
from actors_rs.errors import GraphError

ten = Source.range(0, 10)


def here():
    """File and line of the caller, as the messages have it."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return f"{__file__}:{frame.f_back.f_lineno}"


@pytest.fixture
def system():
    with ActorSystem() as system:
        yield system


def test_an_open_inlet_is_named_when_a_graph_is_made_of_it():
    flow, line = Flow().map(str).named("words"), here()
    with pytest.raises(GraphError) as caught:
        Graph(flow.filter(str).to(Sink.list()))
    assert str(caught.value).startswith(f"stage 'words' has no source (made at {line}):")
    assert "pipe(source, flow)" in str(caught.value)


def test_an_open_inlet_of_a_junction_is_one_too():
    flow, line = merge(ten, Flow()), here()
    with pytest.raises(GraphError) as caught:
        Graph(flow.to(Sink.list()))
    assert str(caught.value).startswith(f"stage 'merge' has no source (made at {line}):")


def test_an_empty_flow_has_no_source_either():
    with pytest.raises(GraphError, match=r"stage 'list' has no source \(made at .*\.py:\d+\)"):
        Graph(Flow().to(Sink.list()))


def test_an_outlet_that_feeds_nothing_is_named_with_its_number(system):
    (first, second, _), line = ten.partition(3, lambda n: n % 3, name="parts"), here()
    with pytest.raises(GraphError) as caught:
        Graph(first.to(Sink.list()), second.to(Sink.list()))
    said = f"outlet 2 of stage 'parts' feeds nothing (made at {line}): add it to the graph"
    assert str(caught.value).startswith(said)
    with pytest.raises(GraphError, match="outlet 1 of stage 'parts' feeds nothing"):
        system.start(first.to(Sink.list()))  # not before: it may become a part of a graph


def test_an_outlet_that_feeds_two_inlets_names_both_and_the_way_out():
    source = ten.map(str).named("words")
    one, line_one = Sink.list(), here()
    other, line_other = Sink.count(), here()
    with pytest.raises(GraphError) as caught:
        Graph(source.to(one), source.to(other))
    assert str(caught.value) == (
        "the outlet of stage 'words' feeds exactly one inlet, got two: "
        f"'list' (made at {line_one}) and 'count' (made at {line_other}); "
        "use .broadcast(2) to give the elements to both"
    )


def test_a_graph_without_a_sink_says_how_to_get_one(system):
    with pytest.raises(GraphError, match=r"at least one sink, got none: end a flow with \.to"):
        Graph()
    with pytest.raises(
        TypeError, match=r"Graph needs graphs, as \.to\(sink\) gives them, got <Flow .*'map'>"
    ):
        Graph(ten.map(str))
    with pytest.raises(TypeError, match=r"needs a Graph, such as flow\.to\(sink\) gives, got <Fl"):
        system.start(ten)


def test_a_publisher_needs_a_closed_source(system):
    flow, line = Flow().map(str), here()
    with pytest.raises(GraphError) as caught:
        system.publisher(flow)
    assert str(caught.value) == (
        "publisher: expected a Source, got a Flow whose input is open, "
        f"at stage 'map' (made at {line})"
    )
    with pytest.raises(GraphError, match="got an empty Flow, whose input is open"):
        system.publisher(Flow())
    with pytest.raises(GraphError, match=r"branch of stage 'balance' .*\.py:\d+.*outlet 1"):
        system.publisher(ten.balance(2)[0])
    with pytest.raises(TypeError, match=r"publisher needs a Source, got <Sink 'list'>"):
        system.publisher(Sink.list())


def test_a_hub_needs_a_closed_source(system):
    with pytest.raises(GraphError, match=r"stage 'map' has no source \(made at .*\.py:\d+\)"):
        Flow().map(str).hub(system)


def test_a_processor_needs_one_open_input_and_one_open_outlet(system):
    source, line = ten.map(str), here()
    with pytest.raises(GraphError) as caught:
        system.processor(source)
    said = f"stage 'map' (made at {line}) must depend on exactly one open input, got 0"
    assert str(caught.value) == said
    both = merge(Flow().map(str), Flow().map(int))
    with pytest.raises(GraphError, match=r"got 2, at stage 'map' .*\), at stage 'map' "):
        system.processor(both)
    with pytest.raises(GraphError, match=r"outlet 1 of stage 'broadcast' must feed exactly one"):
        system.processor(Flow().broadcast(2)[0])
    with pytest.raises(TypeError, match="processor needs a Flow, got <Sink 'list'>"):
        system.processor(Sink.list())


def test_a_subscriber_needs_a_sink(system):
    with pytest.raises(TypeError, match=r"subscriber needs a Sink, got <Flow ending in 'range'>"):
        system.subscriber(ten)


@pytest.mark.parametrize("how", ["named", "with_attributes"])
def test_an_empty_flow_and_a_stage_with_several_outlets_cannot_be_changed_behind_their_making(how):
    change = {
        "named": lambda flow: flow.named("x"),
        "with_attributes": lambda f: f.with_attributes(),
    }
    with pytest.raises(GraphError, match=r"an empty Flow\(\) has no stage to change"):
        change[how](Flow())
    write = {"named": r"unzip\(..., name=...\)", "with_attributes": r"unzip\(..., window=...\)"}
    with pytest.raises(GraphError, match=rf"'unzip' .*has 2 outlets, .*: write {write[how]}"):
        change[how](ten.zip(ten).unzip()[0])


def test_a_policy_or_a_total_for_a_stage_with_several_outlets_is_refused_with_its_place():
    branch, _ = ten.partition(2, bool)
    with pytest.raises(GraphError, match=r"partition\(..., on_failure=...\) has a policy"):
        branch.on_failure("resume")
    with pytest.raises(GraphError, match=r"with_total: .*: call it before partition, or after"):
        branch.with_total(3)


def test_branches_of_one_stage_are_not_started_one_after_the_other():
    (first, second), line = ten.broadcast(2), here()
    streams = {
        "concat": lambda: first.concat(second),
        "prepend": lambda: first.prepend(second),
        "amb": lambda: first.amb(second),
        "if_empty": lambda: first.if_empty(second),
    }
    for name, join in streams.items():
        with pytest.raises(GraphError) as caught:
            join()
        said = (
            f"{name}: expected a stream with a source of its own, got a branch of stage "
            f"'broadcast' (made at {line}), whose outlet 0 is not part of it."
        )
        assert str(caught.value).startswith(said)
        assert "merge, interleave or zip" in str(caught.value)
    assert sorted(first.merge(second).to(Sink.list()).run()) == sorted([*range(10)] * 2)
