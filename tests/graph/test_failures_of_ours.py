# mypy: disable-error-code="arg-type, attr-defined"
"""An error of this package that ends a run says which stage it was and where that was made."""

import linecache
import pickle

import pytest

from actors_rs import Backoff, Flow, Sink, Source
from actors_rs.errors import (
    BufferOverflowError,
    EmptyStreamError,
    InvalidArgumentError,
    RunCancelled,
    Stalled,
    StreamTimeoutError,
    TooManyGroupsError,
)
from tests.graph.helpers import SECONDS, Book

SOON = 0.001


def no_range(_):
    return Source.range(0, -1)


def groups_that_nobody_runs():
    return Source.range(0, 9).group_by(lambda n: n % 3, 3, stall_after=SOON).named("it")


def ask_again(book, _):
    """One at a time, and in the end no more."""
    if len(book.elements) < 100:
        book.request(1)


EMPTY = (EmptyStreamError, "the stream had none")
LATE = (StreamTimeoutError, "timeout")
FAILING = {
    "average": (lambda: Source.empty().average().named("it"), *EMPTY),
    "first": (lambda: Source.empty().first().named("it"), *EMPTY),
    "last": (lambda: Source.empty().last().named("it"), *EMPTY),
    "min": (lambda: Source.empty().min().named("it"), *EMPTY),
    "element_at": (lambda: Source.of(7).element_at(1).named("it"), EmptyStreamError, "needs 2 el"),
    "fused": (lambda: Source.empty().map(str).average().named("it").map(str).fuse(), *EMPTY),
    "inner": (
        lambda: Source.of(1).flat_map(lambda _: Source.empty().average().named("it")),
        *EMPTY,
    ),
    "section": (
        lambda: Source.empty().average().named("it").restart(Backoff(SOON), max_restarts=1),
        *EMPTY,
    ),
    "initial_timeout": (lambda: Source.never().initial_timeout(SOON).named("it"), *LATE),
    "idle_timeout": (lambda: Source.never().idle_timeout(SOON).named("it"), *LATE),
    "completion_timeout": (lambda: Source.never().completion_timeout(SOON).named("it"), *LATE),
    "backpressure_timeout": (
        lambda: Source.repeat(1).backpressure_timeout(SOON).named("it"),
        *LATE,
    ),
    "buffer": (
        lambda: Source.range(0, 10_000).buffer(1, "fail").named("it"),
        BufferOverflowError,
        "was full",
    ),
    "max_groups": (
        lambda: Source.range(0, 9).group_by(str, 2, "fail").named("it").flat_map(list, 9),
        TooManyGroupsError,
        "groups were open",
    ),
    "group_by": (groups_that_nobody_runs, Stalled, "nobody runs the streams of groups 0, 1, 2"),
    "stateful_map": (
        lambda: Source.of(1).stateful_map(int, lambda s, x: (s, x), no_range).named("it"),
        InvalidArgumentError,
        "range",
    ),
}


@pytest.mark.parametrize("where", FAILING)
def test_an_error_of_ours_names_its_stage_and_the_line_that_made_it_once(shared, where):
    make, kind, said = FAILING[where]
    book = Book(first=1, on_element=ask_again)
    shared.publisher(make()).subscribe(book)
    error = book.wait()
    assert said in str(error)
    assert type(error) is kind
    file, _, line = error.site.rpartition(":")
    assert linecache.getline(__file__, int(line)).count(".named(") == 1, error.site
    assert __file__.endswith(file.rpartition("/")[2])
    assert error.stage.partition("#")[0] == "it"
    assert str(error).endswith(f" (stage '{error.stage}', made at {error.site})")
    assert str(error).count("made at") == 1
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("kind", ["first", "last"])
@pytest.mark.parametrize("fused", [False, True])
def test_a_sink_that_needs_an_element_is_named_too(shared, kind, fused):
    graph = Source.empty().map(str).to(getattr(Sink, kind)().named("it"))
    with pytest.raises(EmptyStreamError, match=r"before it \(stage 'it', made at .*\)$") as caught:
        shared.start(graph.fuse() if fused else graph).result(SECONDS)
    assert caught.value.stage == "it"


def test_a_run_that_was_cancelled_names_no_stage_for_it(shared):
    run = shared.start(Source.never().via(Flow().map(str).restart()).to(Sink.list()))
    run.cancel()
    with pytest.raises(RunCancelled) as caught:
        run.result(SECONDS)
    assert (str(caught.value), caught.value.stage) == ("run 'run' was cancelled", "")


def test_an_error_that_names_its_stage_is_not_given_the_name_of_another_one(shared):
    with pytest.raises(EmptyStreamError) as inner:
        shared.start(Source.empty().average().named("inner").to(Sink.list())).result(SECONDS)

    def fails(_):
        raise inner.value

    flow = Source.of(1).stateful_map(int, lambda s, x: (s, x), fails).named("outer")
    with pytest.raises(EmptyStreamError, match=r"before it \(stage 'inner', made at [^()]*\)$"):
        shared.start(flow.to(Sink.list())).result(SECONDS)


def test_an_error_of_the_users_own_kind_is_named_although_it_forbids_it(shared):
    class OddError(InvalidArgumentError):
        stage = property(lambda self: "mine")

    def fails(_):
        raise OddError("odd")

    flow = Source.of(1).stateful_map(int, lambda s, x: (s, x), fails)
    with pytest.raises(OddError, match="odd"):
        shared.start(flow.to(Sink.list())).result(SECONDS)
