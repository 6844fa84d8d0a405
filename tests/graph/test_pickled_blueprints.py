"""Blueprints go through a pickle and back: each source, operator, junction and sink there is."""

import copy
import io
import pickle
import re
import threading
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from operator import add
from types import FunctionType

import pytest
from pyspark import cloudpickle

from actors_rs import (
    ActorSystem,
    Feedback,
    Flow,
    Graph,
    RateLimit,
    Sink,
    Source,
    amb,
    concat,
    merge,
    pipe,
)
from actors_rs.delivery import acknowledged
from tests.graph.blueprint_rows import (
    COMPOSED,
    DRAWN,
    METHODS,
    OTHERWISE,
    SEVERAL,
    SINKS,
    SOURCES,
    numbers,
    plus,
)
from tests.pages.marbles.played import play


def results(element, outcomes):
    return None


def again(blueprint):
    return pickle.loads(pickle.dumps(blueprint))


class Naming(pickle.Pickler):
    """Takes functions of the tests by name, lambdas too; all else must be possible to pickle."""

    named: list[FunctionType] = []  # noqa: RUF012 - one for all, as each stage has a trial of its own

    def dump(self, blueprint):  # in Python, so that the trial of each stage is made with it
        super().dump(blueprint)

    def persistent_id(self, part):
        if not isinstance(part, FunctionType) or not part.__module__.startswith("tests."):
            return None
        self.named.append(part)
        return len(self.named) - 1


class Finding(pickle.Unpickler):
    def persistent_load(self, number):
        return Naming.named[number]


def of_a_diagram(blueprint):
    """A copy of a diagram's blueprint."""
    file = io.BytesIO()
    Naming(file).dump(blueprint)
    copied = Finding(io.BytesIO(file.getvalue())).load()
    assert repr(copied) == repr(blueprint)
    assert sites(copied) == sites(blueprint)
    return copied


def sites(blueprint):
    """The lines that made the last stage of each stream of ``blueprint``."""
    streams = blueprint if isinstance(blueprint, tuple) else (blueprint,)
    return [stream._out.spec.site for stream in streams if isinstance(stream, Flow)]


def test_every_method_of_the_language_has_a_diagram_or_is_in_a_table():
    ours = {name for name in dir(Flow) if name[0] != "_"}
    tables = {*METHODS, *SEVERAL, *SOURCES, *OTHERWISE}
    missing = sorted(ours - tables - DRAWN.keys())
    assert not missing, (
        f"{missing}: add a diagram to tests/pages/marbles/operators.py, or a row to "
        "tests/graph/blueprint_rows.py"
    )
    assert tables - ours == set()
    sinks = {name for name in dir(Sink) if name[0] != "_"}
    assert sinks == {*SINKS, "parquet", "queue", *COMPOSED, "behind", "subscriber_on", "start_on"}


@pytest.mark.parametrize("stage", DRAWN)
def test_a_stream_plays_the_same_diagram(stage):
    marble = DRAWN[stage]
    copied = replace(marble, build=lambda *streams: of_a_diagram(marble.build(*streams)))
    assert play(copied) == marble.outputs


@pytest.mark.parametrize("stage", [one for one in DRAWN if len(DRAWN[one].inputs) == 1])
def test_a_flow_whose_input_is_open_plays_the_same_diagram(stage):
    marble = DRAWN[stage]
    copied = replace(marble, build=lambda stream: stream.via(of_a_diagram(marble.build(Flow()))))
    assert play(copied) == marble.outputs


def test_a_stage_of_a_diagram_that_cannot_be_pickled_is_found():
    with pytest.raises(pickle.PicklingError, match="stage 'map' "):
        of_a_diagram(Flow().map(threading.Lock().acquire))


@pytest.mark.parametrize("name", [*METHODS, *SEVERAL])
def test_a_stream_gives_the_same(name):
    stream = {**METHODS, **SEVERAL}[name](numbers)
    copied = again(stream)
    assert repr(copied) == repr(stream)
    assert copied._out.spec.site == stream._out.spec.site
    first, second = stream.run(Sink.list()), copied.run(Sink.list())
    assert (sorted(first) == sorted(second)) if name in SEVERAL else first == second


@pytest.mark.parametrize("name", [*METHODS, *SEVERAL])
def test_a_flow_whose_input_is_open_can_be_put_behind_any_source(name):
    if name in ("restart", "amb", "fuse"):
        pytest.skip("made of the source too")
    flow = again({**METHODS, **SEVERAL}[name](Flow()))
    assert numbers.via(flow).run(Sink.count()) == numbers.via(flow).run(Sink.count())


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_gives_the_same(name, tmp_path):
    path = tmp_path / "in"
    path.write_text("1\n2\n")
    stream = SOURCES[name](path)
    assert again(stream).run(Sink.list()) == stream.run(Sink.list())


@pytest.mark.parametrize("name", SINKS)
def test_a_sink_and_a_graph_give_the_same(name, tmp_path):
    sink = SINKS[name](tmp_path / "out")
    first = numbers.run(again(sink))
    assert again(numbers.to(sink)).run() == first


def test_parquet(tmp_path):
    rows = Source.of({"n": 1}, {"n": 2})
    again(rows.to(Sink.parquet(tmp_path / "data"))).run()
    assert again(Source.parquet(tmp_path / "data")).run(Sink.list())[0].num_rows == 2


def test_a_queue_is_another_one():
    with ActorSystem() as system:
        run = system.start(again(Source.queue(4).to(Sink.list())))
        run.queue().put(1)
        run.queue().complete()
        assert run.result(60) == [1]


@pytest.mark.parametrize("join", [merge, concat, amb, pipe], ids=lambda join: join.__name__)
def test_functions_of_several_streams(join):
    stream = again(join(numbers.take(1), *([Flow().map(plus)] if join is pipe else [])))
    assert len(stream.run(Sink.list())) == 1


def test_a_loop_keeps_both_of_its_ends():
    loop = Feedback[int](4)
    again_, out = numbers.merge(loop.source).broadcast(2)
    graph = Graph(again_.filter(bool).map(partial(add, -1)).to(loop.sink), out.to(Sink.count()))
    assert again(graph).run() == graph.run()


def test_branches_that_are_pickled_together_stay_branches():
    one, other = again(numbers.broadcast(2))
    assert Graph(one.to(Sink.list()), other.to(Sink.sum())).run() == ([3, 1, 2, 2], 8)


def test_acknowledged_streams_can_still_be_merged():
    streams = again(acknowledged(numbers, results)), acknowledged(numbers, results)
    assert merge(*streams).run(Sink.count()) == 8


def test_a_limit_that_streams_share_stays_in_its_process():
    throttled = numbers.throttle(RateLimit(1e6, 1.0))
    with pytest.raises(pickle.PicklingError, match=r"stage 'throttle' .* cannot be pickled"):
        again(throttled)


def test_a_chain_may_be_longer_than_python_goes_deep():
    stream = numbers
    for _ in range(3000):
        stream = stream.map(plus)
    assert again(stream)._out.spec.kind == "map"


def test_a_graph_runs_in_another_process():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(numbers.map(plus).to(Sink.list()).run).result(60) == [4, 2, 3, 3]


def test_lambdas_go_through_cloudpickle():
    stream = numbers.map(lambda n: n + 1).filter(lambda n: n > 2)
    assert cloudpickle.loads(cloudpickle.dumps(stream.to(Sink.list()))).run() == [4, 3, 3]


def line_of(blueprint):
    return re.escape(blueprint._out.spec.site)


@pytest.mark.parametrize(
    ("dump", "function"),
    [(pickle.dumps, lambda n: n), (cloudpickle.dumps, threading.Lock().acquire)],
    ids=["pickle", "cloudpickle"],
)
def test_a_stage_that_cannot_be_pickled_is_named_with_its_line(dump, function):
    culprit = numbers.map(plus).filter(function).named("picky")
    told = rf"stage 'picky' \(made at {line_of(culprit)}\) cannot be pickled: .*with def at its"
    for blueprint in (
        culprit,
        culprit.map(plus).to(Sink.list()),
        numbers.append(culprit),
        culprit.map(plus).restart(),
        culprit.fuse(),
    ):
        with pytest.raises(pickle.PicklingError, match=told):
            dump(blueprint)


def test_a_copy_is_itself_whatever_its_functions_are():
    stream = numbers.map(lambda n: n)
    for blueprint in (stream, Sink.for_each(print), stream.to(Sink.list())):
        assert copy.copy(blueprint) is blueprint
        assert copy.deepcopy([blueprint])[0] is blueprint
