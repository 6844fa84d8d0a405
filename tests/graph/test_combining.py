# mypy: disable-error-code="arg-type, call-overload, operator, var-annotated"
"""Streams combined, in running graphs: against lists, and what is refused."""

import heapq
from itertools import chain, zip_longest

import pytest
from hypothesis import given

from actors_rs import Flow, Sink, Source, merge, zip
from actors_rs.errors import GraphError, InvalidArgumentError, StageError
from actors_rs.stages.junctions.merge_preferred import MergePreferred
from tests.graph.helpers import SECONDS, run
from tests.graph.models import check_operator, quick, trials
from tests.stages.harness import Alone

ten = Source.range(0, 10)
TAIL = [1000, 1001, 1002]  # what the other stream has


def other():
    return Source.of(*TAIL)


def in_turn(xs, ys, n):
    pieces = [[part[i : i + n] for i in range(0, len(part), n)] for part in (xs, ys)]
    return list(chain(*chain(*zip_longest(*pieces, fillvalue=[]))))


# Each entry: the stream made of a source and another, the same on a list, how to compare.
COMBINED = {
    "merge": (lambda s: s.merge(other()), lambda xs: xs + TAIL, sorted),
    "merge_preferred": (lambda s: s.merge_preferred(other()), lambda xs: xs + TAIL, sorted),
    "merge_sorted": (
        lambda s: s.merge_sorted(other(), key=lambda x: max(x, 100)),
        lambda xs: list(heapq.merge(xs, TAIL, key=lambda x: max(x, 100))),
        list,
    ),
    "interleave": (
        lambda s: s.interleave(other(), 2),
        lambda xs: in_turn(xs, TAIL, 2),
        list,
    ),
    "zip": (
        lambda s: s.zip(Source.range(0, 10**6)),
        lambda xs: [(x, n) for n, x in enumerate(xs)],
        list,
    ),
    "zip three": (
        lambda s: zip(Source.repeat("a"), s, Source.range(0, 10**6)),
        lambda xs: [("a", x, n) for n, x in enumerate(xs)],
        list,
    ),
    "combine_latest": (
        lambda s: s.combine_latest(Source.of(1)),
        lambda xs: [(x, 1) for x in xs],
        list,
    ),
    "zip_latest": (
        lambda s: s.zip_latest(merge(Source.of(1), Source.never())),
        lambda xs: [(x, 1) for x in xs],
        list,
    ),
}


@pytest.mark.parametrize("kind", COMBINED)
@quick
@given(trial=trials())
def test_combined_streams_give_what_lists_give(shared, kind, trial):
    operator, model, view = COMBINED[kind]
    if kind in ("merge", "merge_preferred", "merge_sorted", "interleave"):
        # What the other stream gave before a failure is not fixed: its part is left out.
        def without_tail(xs):
            return view([x for x in xs if x not in TAIL])

        check_operator(shared, operator, lambda xs: list(xs), trial, view=without_tail)
        assert view(
            shared.start(operator(Source.of(*trial.xs)).to(Sink.list())).result(SECONDS)
        ) == (view(model(trial.xs)))
    else:
        check_operator(shared, operator, model, trial, view=view)


@pytest.mark.parametrize("window", [1, 3, 1024])
def test_zip_never_loses_the_last_pair_and_cancels_the_longer_side(window):
    closed = []

    def endless():
        try:
            n = 0
            while True:
                yield n
                n += 1
        finally:
            closed.append(True)

    zipped = ten.zip(Source.from_iterable(endless))
    assert run(zipped.to(Sink.list()), window=window) == [(n, n) for n in range(10)]
    assert closed == [True]


def test_the_preferred_stream_goes_first_whenever_it_has_elements():
    stage = Alone(MergePreferred(3)).request(1).push(0, inlet=1)
    stage.push(1, 2, inlet=2).push(10, 11, inlet=1).push(20, 21)
    assert stage.request(1).request(1).down.elements == [0, 20, 21]
    stage.request(1).push(22).request(1)
    assert stage.down.elements[4:] == [22]
    assert sorted(stage.request(9).down.elements) == [0, 1, 2, 10, 11, 20, 21, 22]


def test_merge_sorted_gives_all_before_a_key_that_raises_and_names_its_stage():
    def key(n):
        return n if n != 7 else [][n]

    seen = []
    with pytest.raises(StageError) as caught:
        run(ten.merge_sorted(Source.of(20, 21), key=key).to(Sink.for_each(seen.append)))
    assert seen == list(range(7))
    assert (caught.value.stage, caught.value.position) == ("merge_sorted", 7)


def test_elements_that_cannot_be_compared_fail_the_stage_behind_those_that_can():
    seen = []
    with pytest.raises(StageError, match="'merge_sorted' failed"):
        run(Source.of(1, 3, 5).merge_sorted(Source.of(2, "x")).to(Sink.for_each(seen.append)))
    assert seen == [1, 2]


def test_sources_are_combined_as_told():
    assert sorted(Source.combine(ten, Source.of(10)).run(Sink.list())) == list(range(11))
    assert Source.combine(Source.of(1), Source.of("a"), how=zip).run(Sink.list()) == [(1, "a")]
    alternating = Source.combine(ten.take(2), Source.of(8, 9), how=lambda a, b: a.interleave(b))
    assert alternating.run(Sink.list()) == [0, 8, 1, 9]


@pytest.mark.parametrize(
    ("make", "kind", "says"),
    [
        (lambda: zip(), GraphError, "zip needs at least one stream, got none"),
        (lambda: zip(ten, [1]), TypeError, r"zip needs Sources or Flows, got \[1\]"),
        (lambda: ten.zip(3), TypeError, "zip needs Sources or Flows, got 3"),
        (lambda: ten.combine_latest(3), TypeError, "combine_latest needs Sources or Flows, got 3"),
        (lambda: ten.zip_latest(Sink.list()), TypeError, "zip_latest needs Sources or Flows"),
        (lambda: ten.interleave(ten.map(str), 0), InvalidArgumentError, "n must be at least 1"),
        (lambda: ten.interleave(None), TypeError, "interleave needs Sources or Flows, got None"),
        (lambda: ten.merge_sorted(ten, key=3), TypeError, "merge_sorted: key must be callable"),
        (lambda: ten.merge_preferred(3), TypeError, "merge_preferred needs Sources or Flows"),
        (lambda: Source.combine(ten, how={}), TypeError, "combine: how must be callable, got {}"),
        (lambda: Source.combine(), GraphError, "at least one stream, got none"),
        (lambda: Source.combine(ten, Flow()), GraphError, "combine needs Sources, got"),
        (lambda: Source.combine(ten, how=3), TypeError, "combine: how must be callable"),
    ],
)
def test_what_cannot_be_combined_is_refused_in_one_sentence(make, kind, says):
    with pytest.raises(kind, match=says):
        make()
