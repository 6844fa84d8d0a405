# mypy: disable-error-code="arg-type, call-arg, call-overload, misc, type-var, var-annotated"
"""Whatever cannot work is a ``ValueError`` when the blueprint is built, with the user's line in it.

``GraphError`` is one. So is what a wrong kind of argument raises, which is a ``TypeError`` too.
"""

import builtins
import math

import pytest

from actors_rs import Feedback, Flow, Graph, RateLimit, Sink, Source, amb, concat, merge, pipe, zip
from actors_rs.errors import ArgumentTypeError, GraphError, InvalidArgumentError

ten = Source.range(0, 10)
calls = ten.map_async(str, 1)


def loop(buffer):
    """A graph whose elements come round."""
    back = Feedback(buffer)
    return back.source.merge_preferred(ten).divert_to(back.sink, when=bool).to(Sink.list())


NO_FUNCTION = [
    lambda: ten.flat_map(3),
    lambda: ten.concat_map(3),
    lambda: ten.switch_map(3),
    lambda: ten.catch(3),
    lambda: ten.group_by(3, 2),
    lambda: ten.batch(weight=3, max_weight=1),
    lambda: ten.map_async(str, 2, key=3),
    lambda: ten.merge_sorted(ten, 3),
    lambda: ten.partition(2, 3),
    lambda: ten.divert_to(Sink.list(), 3),
    lambda: ten.throttle(1, cost=3),
    lambda: ten.conflate(3, max),
    lambda: ten.conflate(str, 3),
    lambda: ten.expand(3),
    lambda: ten.recover(3),
    lambda: ten.map_error(3),
    lambda: calls.retry(when=3),
    lambda: ten.map(str).on_failure(decider=3),
    lambda: ten.on_termination(3),
    lambda: ten.monitor(3),
    lambda: Source.combine(ten, how=3),
    lambda: Sink.for_each(3),
    lambda: Sink.fold(0, 3),
    lambda: Sink.fold_get(3, max),
]


async def later(*_):
    return False


WRONG_KIND = [
    lambda: ten.partition(2, later),
    lambda: ten.group_by(later, 3),
    lambda: ten.flat_map(later),
    lambda: ten.throttle(1, cost=later),
    lambda: ten.on_termination(later),
    lambda: Sink.for_each(later),
    lambda: Sink.fold(0, later),
    lambda: ten.merge(1),
    lambda: zip(ten, 1),
    lambda: ten.interleave(1),
    lambda: concat(1),
    lambda: amb(1),
    lambda: ten.append(1),
    lambda: ten.concat(1),
    lambda: Source.merge_hub().attach(1),
    lambda: ten.prepend([1]),
    lambda: ten.if_empty(None),
    lambda: ten.recover_with(1),
    lambda: ten.also_to(1),
    lambda: ten.wire_tap(None),
    lambda: ten.kill_switch(1),
    lambda: ten.restart(3),
    lambda: calls.retry(3),
    lambda: calls.retry(budget=3),
    lambda: ten.hub(3),
    lambda: ten.partition_hub(3, len),
    lambda: ten.throttle("1"),
    lambda: ten.batch(3, "1"),
    lambda: ten.via(3),
    lambda: pipe(3),
    lambda: pipe([1], Flow()),
    lambda: pipe(ten, 3),
    lambda: ten.to(3),
    lambda: ten.run(ten),
    lambda: Graph(ten),
    lambda: Sink.fan(3),
    lambda: Sink.jsonl(3),
    lambda: Sink.sqlite(3, "INSERT"),
    lambda: Sink.sqlite("x", 3),
    lambda: Sink.sqlite("x", "INSERT", setup=3),
    lambda: Sink.parquet("x", schema={"n": int}),
    lambda: Source.parquet("x", columns=3),
    lambda: Source.parquet("x", columns=[3]),  # type: ignore[list-item]
    lambda: Source.sqlite("x", "SELECT ?", "a"),
    lambda: Source.sqlite("x", "SELECT ?", 3),
    lambda: ten.broadcast(2, name=3),
    lambda: ten.partition(2, int, name=3),
    lambda: Source.merge_hub(name=3),
    lambda: Sink.parquet(3),
    lambda: Source.lines(3),
    lambda: Source.range("0", 3),
    lambda: Source.range(True, 3),
    lambda: ten.with_index(False),
    lambda: Source.files(3),
    lambda: Source(1),
    lambda: Source([1, 2]),
    lambda: Flow(3),
    lambda: Sink(),
    lambda: ten.to(Sink(print)),
    lambda: Source.from_iterable(3),
    lambda: Source.from_future(3),
    lambda: Source.combine(ten, how=lambda _: 3),  # type: ignore[return-value]
    lambda: Source.combine(ten, ten, how=builtins.zip),
]
OUT_OF_RANGE = [
    lambda: ten.flat_map(str, breadth=0),
    lambda: ten.group_by(str, 0),
    lambda: ten.group_by(str, 3, "drop"),
    lambda: ten.group_by(str, 3, idle_timeout=0),
    lambda: ten.interleave(ten, 0),
    lambda: ten.broadcast(0),
    lambda: ten.balance(-1),
    lambda: ten.partition(0, int),
    lambda: ten.unzip(0),
    lambda: ten.buffer(0),
    lambda: ten.buffer(3, overflow="spill"),
    lambda: ten.throttle(0),
    lambda: ten.throttle(1, per=0),
    lambda: ten.throttle(1, burst=0),
    lambda: ten.throttle(RateLimit(1), per=3),
    lambda: ten.batch(3, within=0),
    lambda: ten.batch(3, within=math.inf),
    lambda: ten.delay(math.nan),
    lambda: ten.debounce(-1),
    lambda: ten.keep_alive(0, "?"),
    lambda: ten.recover_with(ten, 0),
    lambda: calls.retry(max_attempts=0),
    lambda: ten.map(str).on_failure("ignore"),
    lambda: ten.with_attributes(window=0),
    lambda: ten.with_attributes(window=True),
    lambda: ten.with_attributes(dispatcher="own"),
    lambda: Sink.list().with_attributes(throughput=0),
    lambda: ten.named(""),
    lambda: Feedback(-1),
    lambda: Source.tick(0),
    lambda: Source.queue(0),
    lambda: Source.files(""),
    lambda: Source.lines("x", encoding="utf-99"),
    lambda: Source.lines("x", encoding="a\0b"),
    lambda: Source.jsonl("x", encoding="undefined"),
    lambda: Source.csv("x", encoding="hex"),
    lambda: Source.lines("x", encoding="\udc80"),
    lambda: Source.csv("x", encoding=None),
    lambda: Source.csv("x", delimiter="\n"),
    lambda: Source.csv("x", delimiter='"'),
    lambda: Source.csv(""),
    lambda: Source.lines(""),
    lambda: Sink.jsonl(""),
    lambda: Sink.sqlite("x", ""),
    lambda: Sink.parquet("x", pytest.importorskip("pyarrow").schema([])),
    lambda: ten.balance(2, name=""),
]
CANNOT_RUN = [
    lambda: Graph(),
    lambda: merge(),
    lambda: zip(),
    lambda: Source.combine(),
    lambda: Source.combine(Flow(), ten),
    lambda: Sink.fan(),
    lambda: ten.append(Flow()),
    lambda: ten.recover_with(Flow()),
    lambda: Flow().fuse(),
    lambda: Flow().restart(),
    lambda: Flow().named("nothing"),
    lambda: ten.via(ten),
    lambda: ten.retry(),
]


def test_what_is_no_function_is_a_value_error_and_a_type_error():
    for make in NO_FUNCTION:
        with pytest.raises(ArgumentTypeError, match="must be callable, got 3") as caught:
            make()
        assert isinstance(caught.value, ValueError)
        assert isinstance(caught.value, TypeError)
        assert line_of(make) in str(caught.value)


@pytest.mark.parametrize(
    ("makes", "error"),
    [
        (WRONG_KIND, ArgumentTypeError),
        (OUT_OF_RANGE, InvalidArgumentError),
        (CANNOT_RUN, GraphError),
    ],
)
def test_each_refusal_names_what_came_and_the_line(makes, error):
    for make in makes:
        with pytest.raises(error) as caught:
            make()
        assert line_of(make) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_an_outlet_used_twice_is_refused_as_soon_as_both_are_behind_one_sink():
    with pytest.raises(GraphError, match=r"outlet of stage 'range' feeds exactly one inlet.*broad"):
        ten.zip(ten.map(str)).to(Sink.list())


def test_an_outlet_that_feeds_nothing_is_refused_where_the_graph_is_said_to_be_whole():
    kept, _ = ten.broadcast(2)
    part = kept.to(Sink.list())  # not yet: the other may become a part of the graph
    with pytest.raises(GraphError, match="outlet 1 of stage 'broadcast' feeds nothing"):
        Graph(part)


def test_a_cycle_without_a_buffer_is_refused_when_its_sink_is_put_behind_it():
    loop(16)
    with pytest.raises(GraphError, match=r"a loop needs a buffer.*feedback -> merge_preferred"):
        loop(0)


def line_of(make):
    """Where the lambda stands."""
    return f"{__file__}:{make.__code__.co_firstlineno}"
