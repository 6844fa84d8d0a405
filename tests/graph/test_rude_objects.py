# mypy: disable-error-code="misc, arg-type, var-annotated, no-any-return, no-untyped-def"
"""Runs over elements, keys and exceptions whose own methods raise end with the right error."""

import logging

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import EmptyStreamError, GraphError, StageError
from actors_rs.testing.probes import SinkProbe
from tests.graph.helpers import SECONDS
from tests.pairwise import every_two
from tests.rude import MANNERS, TEXTS, rude


def fails_with(error):
    def f(*_):
        raise error

    return f


FAILING = {
    "map": lambda s, f: s.map(f),
    "filter": lambda s, f: s.filter(f),
    "flat_map": lambda s, f: s.flat_map(f),
    "fuse": lambda s, f: s.map(f).filter(lambda _: True).fuse(),
    "map_async": lambda s, f: s.map_async(f, 2),
    "map_async, fallback": lambda s, f: s.map_async(f, 2, fallback=f),
    "map_async, by key": lambda s, f: s.map_async(lambda one: one, 2, key=f),
    "map_error": lambda s, f: s.map(f).map_error(lambda error: error),
    "recover": lambda s, f: s.map(f).recover(f),
    "retry": lambda s, f: s.map_async(f, 2).retry(max_attempts=2),
    "scan": lambda s, f: s.scan(0, f),
    "stateful_map": lambda s, f: s.stateful_map(int, f),
    "group_by": lambda s, f: s.group_by(f, 4).flat_map(lambda group: group, breadth=4),
    "divert_to": lambda s, f: s.divert_to(Sink.ignore(), f),
    "monitor": lambda s, f: s.monitor(f),
    "max": lambda s, f: s.max(key=f),
    "sort_within": lambda s, f: s.sort_within(2, key=f),
    "restart": lambda s, f: s.map(f).restart(max_restarts=1),
    "merge": lambda s, f: s.merge(Source.defer(f)),
    "switch_map": lambda s, f: s.switch_map(f),
    "expand": lambda s, f: s.expand(f),
    "conflate": lambda s, f: s.conflate(f, f),
    "zip_latest": lambda s, f: s.zip_latest(Source.of(1)).map(f),
    "merge_sorted": lambda s, f: s.merge_sorted(Source.of(1), key=f),
    "throttle": lambda s, f: s.throttle(1, per=0.01, cost=f),
    "batch": lambda s, f: s.batch(weight=f, max_weight=3),
    "take_while": lambda s, f: s.take_while(f),
    "distinct": lambda s, f: s.distinct(key=f),
    "catch": lambda s, f: s.map(f).catch(f),
    "starmap": lambda s, f: s.map(lambda one: (one,)).starmap(f),
}
PASSED_OVER = {
    *("map", "filter", "flat_map", "fuse", "map_async", "map_async, by key", "scan"),
    *("switch_map", "expand", "merge_sorted", "throttle", "batch", "take_while", "distinct"),
    *("starmap", "divert_to", "stateful_map", "sort_within"),
}
NAMING = {
    "map_async": lambda s: s.map_async(lambda one: one, 2),
    "coroutine": lambda s: s.map_async(itself, 2),
    "starmap": lambda s: s.starmap(lambda one: one),
    "flat_map": lambda s: s.flat_map(lambda one: one),
    "group_by": lambda s: s.group_by(lambda one: one, 1).flat_map(lambda group: group),
    "merge_sorted": lambda s: s.merge_sorted(Source.of(1, 2)),
    "sort_within": lambda s: s.sort_within(2),
    "throttle": lambda s: s.throttle(1, per=0.01, cost=lambda one: one),
    "batch": lambda s: s.batch(weight=lambda one: one, max_weight=3),
    "distinct": lambda s: s.distinct(),
    "sum": lambda s: s.sum(),
    "switch_map": lambda s: s.switch_map(lambda one: one),
    "expand": lambda s: s.expand(lambda one: one),
    "zip_latest": lambda s: s.zip_latest(Source.of(1)),
}
POLICIES = {
    "stop": lambda s: s,
    "resume": lambda s: s.on_failure("resume"),
    "decider": lambda s: s.on_failure(decider=lambda error, element: "resume"),
    "a rude answer": lambda s: s.on_failure(decider=lambda error, element: element),
}


async def itself(one):
    return one


def changed(stream, policy):
    try:
        return POLICIES[policy](stream)
    except GraphError:  # its last stage takes no policy
        return stream


def ended(stream, caplog):
    """Run it, ask for all its texts, and return what it raised, if anything."""
    caplog.set_level(logging.DEBUG)
    with ActorSystem(workers=2) as system:
        run = system.start(stream.to(Sink.list()))
        raised = None
        try:
            run.result(SECONDS)
        except (StageError, EmptyStreamError) as error:
            raised = error
        assert all(map(repr, (run, run.snapshot(), *system.dead_letters.recent())))
        assert str(raised)
    return raised


@pytest.mark.parametrize(("operator", "manner", "policy"), every_two(FAILING, MANNERS, POLICIES))
def test_a_run_ends_whose_function_raises_a_rude_exception(operator, manner, policy, caplog):
    error = rude(manner, Exception)()
    elements = [rude(manner)() for _ in range(3)]
    stream = FAILING[operator](Source.from_iterable(elements), fails_with(error))
    raised = ended(changed(stream, policy), caplog)
    if policy == "stop":
        assert raised is not None
    elif policy in ("resume", "decider") and operator in PASSED_OVER:
        assert raised is None


@pytest.mark.parametrize(("operator", "manner", "policy"), every_two(NAMING, MANNERS, POLICIES))
def test_a_run_ends_that_names_rude_elements(operator, manner, policy, caplog):
    elements = [rude(manner, names=TEXTS)() for _ in range(3)]
    ended(changed(NAMING[operator](Source.from_iterable(elements)), policy), caplog)


@pytest.mark.parametrize("manner", MANNERS)
def test_an_element_that_is_no_future_is_not_asked_for_its_class(manner):
    elements = [rude(manner)(), rude(manner)()]
    with ActorSystem(workers=2) as system:
        for f in (lambda one: one, itself):
            run = system.start(Source.from_iterable(elements).map_async(f, 2).to(Sink.list()))
            assert all(map(lambda a, b: a is b, run.result(SECONDS), elements))


def test_an_exception_that_cannot_be_asked_for_its_class_is_named_by_its_type():
    error = rude("raises", Exception)()
    with ActorSystem(workers=2) as system:
        run = system.start(Source.of(1).monitor(fails_with(error)).to(Sink.list()))
        with pytest.raises(StageError, match="a Rude was raised, whose __class__ raised"):
            run.result(SECONDS)


SINKS = {
    "jsonl": lambda path: Sink.jsonl(path),
    "sqlite": lambda path: Sink.sqlite(path, "INSERT INTO t VALUES (?)"),
    "parquet": lambda path: Sink.parquet(path),
    "for_each": lambda path: Sink.for_each(float),
    "sum": lambda path: Sink.sum(),
}


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("sink", SINKS)
def test_a_sink_that_names_a_rude_element_fails_with_its_own_error(sink, manner, tmp_path):
    # Arrow ends the process itself if the class of an element cannot be asked for.
    kind = rude(manner, names=TEXTS, asked_for_class=False)
    element = (kind(),) if sink == "sqlite" else {"a": kind()} if sink == "parquet" else kind()
    with ActorSystem(workers=2) as system:
        run = system.start(Source.of(element).to(SINKS[sink](tmp_path / "out")))
        with pytest.raises(StageError):
            run.result(SECONDS)


@pytest.mark.parametrize("manner", MANNERS)
def test_a_probe_names_rude_elements_and_errors(manner):
    probe = SinkProbe()
    with ActorSystem(workers=2) as system:
        kind = rude(manner, names=TEXTS)
        Source.of(kind(), kind()).publisher_on(system).subscribe(probe)
        probe.request(1)
        with pytest.raises(AssertionError, match="expected element 5, got "):
            probe.expect_next(5)
        probe.cancel()
