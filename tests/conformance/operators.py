# mypy: disable-error-code="var-annotated"
"""One row for each operator: a flow that passes on what comes, made with the operator.

A key is the operator's file below ``actors_rs/stages``. The rows are in alphabetical order.
"""

from actors_rs import Flow, KillSwitch, Sink, Source, merge, operator
from tests.conformance.helpers import last_part, same


def again(error):
    raise error


@operator
def passed_on(elements):
    yield from elements


def beside(operator):
    """A flow with ``operator``, which drops elements, on a branch that ends in nothing."""
    one, other = Flow().broadcast(2)
    return merge(one, operator(other).filter(lambda _: False))


def folded(fold):
    """All that comes, and beside it a fold with a sink of its own."""
    return Flow().also_to(fold(Flow()).into(Sink.ignore()))


OPERATORS = {
    "operators/aggregate_by": lambda: folded(
        lambda flow: flow.aggregate_by(lambda _: 0, 0, lambda _, x: x).map(last_part)
    ),
    "operators/aggregate_windows": lambda: folded(
        lambda flow: flow.aggregate_by(
            int, 0, max, every=9, event_time=int, merged_with=[Source.empty()]
        ).map(last_part)
    ),
    "operators/average": lambda: folded(lambda flow: flow.count().average()),
    "operators/backpressure_timeout": lambda: Flow().backpressure_timeout(100),
    "operators/batch": lambda: Flow().batch(1).map(lambda batch: batch[0]),
    "operators/batch_by_weight": lambda: (
        Flow().batch(weight=lambda _: 2, max_weight=2).map(lambda batch: batch[0])
    ),
    "operators/buffer": lambda: Flow().buffer(10**6, "drop_oldest"),
    "operators/catch": lambda: Flow().catch(Source.failed),
    "operators/completion_timeout": lambda: Flow().completion_timeout(100),
    "operators/conflate": lambda: (
        Flow().conflate(lambda x: [x], lambda xs, x: [*xs, x]).flat_map(same)
    ),
    "operators/contains": lambda: folded(lambda flow: flow.contains(-1)),
    "operators/count": lambda: folded(lambda flow: flow.count()),
    "operators/debounce": lambda: beside(lambda flow: flow.debounce(0.001)),
    "operators/default_if_empty": lambda: Flow().default_if_empty(),
    "operators/delay": lambda: Flow().delay(0.0005),
    "operators/distinct": lambda: Flow().with_index().distinct().map(lambda pair: pair[1]),
    "operators/distinct_until_changed": lambda: (
        Flow().with_index().distinct_until_changed().map(lambda pair: pair[1])
    ),
    "operators/element_at": lambda: folded(lambda flow: flow.end_with(0).element_at(0)),
    "operators/end_with": lambda: Flow().end_with(),
    "operators/expand": lambda: Flow().expand(lambda x: [x]),
    "operators/extreme": lambda: folded(lambda flow: flow.count().min()),
    "operators/filter": lambda: Flow().filter(lambda _: True),
    "operators/first": lambda: folded(lambda flow: flow.end_with(0).first()),
    "operators/flat_map": lambda: Flow().flat_map(lambda x: [x]).flat_map(Source.of),
    "operators/flat_map_merge": lambda: Flow().flat_map(Source.of, breadth=2),
    "operators/flat_map_processes": lambda: Flow().flat_map_processes(lambda x: [x], 1),
    "operators/generated": lambda: passed_on(),
    "operators/group_by": lambda: Flow().group_by(lambda _: 0, 1).flat_map(lambda group: group),
    "operators/identity": Flow,
    "operators/idle_timeout": lambda: Flow().idle_timeout(100),
    "operators/initial_timeout": lambda: Flow().initial_timeout(100),
    "operators/join": lambda: folded(
        lambda flow: flow.join(Source.empty(), key=int, within=1, event_time=int).map(same)
    ),
    "operators/keep_alive": lambda: Flow().keep_alive(100, None),
    "operators/kill_switch": lambda: Flow().kill_switch(KillSwitch()),
    "operators/last": lambda: folded(lambda flow: flow.count().last()),
    "operators/map": lambda: Flow().map(same),
    "operators/map_async": lambda: Flow().map_async(same, parallelism=2),
    "operators/map_async_by_key": lambda: Flow().map_async(same, 2, key=lambda _: 0),
    "operators/map_error": lambda: Flow().map_error(same),
    "operators/map_not_none": lambda: Flow().map_not_none(same),
    "operators/map_processes": lambda: Flow().map_processes(same, 1),
    "operators/monitor": lambda: Flow().monitor(same),
    "operators/on_termination": lambda: Flow().on_termination(same),
    "operators/recover": lambda: Flow().recover(again),
    "operators/recover_with": lambda: Flow().recover_with(again),
    "operators/reduce": lambda: folded(lambda flow: flow.reduce(0, lambda _, x: x)),
    "operators/reduce_without_initial": lambda: folded(
        lambda flow: flow.count().reduce_without_initial(lambda _, x: x)
    ),
    "operators/sample": lambda: beside(lambda flow: flow.sample(0.001)),
    "operators/scan": lambda: Flow().scan(0, lambda _, x: x),
    "operators/search": lambda: folded(lambda flow: flow.is_empty()),
    "operators/skip": lambda: Flow().skip(0),
    "operators/skip_while": lambda: Flow().skip_while(lambda _: False),
    "operators/skip_within": lambda: beside(lambda flow: flow.skip_within(100)),
    "operators/sliding": lambda: Flow().sliding(1).map(lambda only: only[0]),
    "operators/sort_within": lambda: folded(lambda flow: flow.sort_within(3)),
    "operators/starmap": lambda: Flow().map(lambda x: (x,)).starmap(same),
    "operators/start_with": lambda: Flow().start_with(),
    "operators/stateful_map": lambda: Flow().stateful_map(int, lambda n, x: (n, x)),
    "operators/sum": lambda: folded(lambda flow: flow.count().sum()),
    "operators/switch_map": lambda: merge(Flow(), Source.empty().switch_map(Source.of)),
    "operators/take": lambda: Flow().take(10**9),
    "operators/take_while": lambda: Flow().take_while(lambda _: True),
    "operators/take_within": lambda: Flow().take_within(100),
    "operators/throttle": lambda: Flow().throttle(10**4),
    "operators/with_index": lambda: Flow().with_index().map(lambda pair: pair[1]),
}
