# mypy: disable-error-code="var-annotated"
"""One row for each junction: a flow that passes on what comes, made with the junction.

A key is the junction's file below ``actors_rs/stages``. The rows are in alphabetical order.
"""

from actors_rs import Feedback, Flow, Sink, Source, merge
from tests.conformance.helpers import first_part


def both_ways():
    """All that comes, and beside it a sink with a source that ends with it."""
    both = Flow.from_sink_and_source(Sink.ignore(), Source.never(), coupled=True)
    return Flow().also_to(both.into(Sink.ignore()))


def looped():
    loop = Feedback(8)
    return loop.source.merge_preferred(Flow()).divert_to(loop.sink, lambda _: False)


def broadcast():
    one, other = Flow().broadcast(2)
    return merge(one, other.filter(lambda _: False))


def partition():
    one, other = Flow().partition(2, lambda _: 1)
    return merge(one, other)


def unzip():
    one, other = Flow().map(lambda x: (x, x)).unzip()
    return merge(one, other.filter(lambda _: False))


JUNCTIONS = {
    "junctions/also_to": lambda: Flow().also_to(Sink.ignore()),
    "junctions/amb": lambda: Flow().amb(Source.never()),
    "junctions/balance": lambda: Flow().balance(1)[0],
    "junctions/broadcast": broadcast,
    "junctions/combine_latest": lambda: Flow().combine_latest(Source.of(0)).map(first_part),
    "junctions/concat": lambda: Flow().append(Source.empty()).prepend(Source.empty()),
    "junctions/divert_to": lambda: Flow().divert_to(Sink.ignore(), lambda _: False),
    "junctions/feedback": looped,
    "junctions/interleave": lambda: Flow().interleave(Source.empty(), 2),
    "junctions/merge": lambda: merge(Flow(), Source.empty()),
    "junctions/merge_preferred": lambda: Flow().merge_preferred(Source.empty()),
    "junctions/merge_sorted": lambda: Flow().merge_sorted(Source.empty(), key=str),
    "junctions/partition": partition,
    "junctions/sink_and_source": lambda: both_ways(),
    "junctions/unzip": unzip,
    "junctions/wire_tap": lambda: Flow().wire_tap(Sink.ignore()),
    "junctions/zip": lambda: Flow().zip(Source.repeat(0)).map(first_part),
    "junctions/zip_latest": lambda: (
        Flow().zip_latest(merge(Source.of(0), Source.never())).map(first_part)
    ),
}
