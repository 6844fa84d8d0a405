"""A name that is not there: the error says what is, and nothing else changes by it."""

import copy
import inspect
import itertools
import pickle
import re
import types
from typing import get_type_hints

import aiostream
import pytest
import reactivex
import reactivex.operators

from actors_rs import (
    ActorSystem,
    Flow,
    Graph,
    Run,
    Sink,
    Source,
    is_publisher,
    is_subscriber,
    is_subscription,
)
from actors_rs.graph import neighbours
from actors_rs.texts import plain_name
from actors_rs.unknown_names import UnknownName

source = Source.of(1)
graph = source.to(Sink.list())
OWNERS = {
    "FOR_FLOWS": Flow,
    "FOR_SINKS": Sink,
    "FOR_GRAPHS": Graph,
    "FOR_RUNS": Run,
}
NOT_FOR_STREAMS = {"alias", "overload", "from_marbles"}


def said(owner, name):
    with pytest.raises(AttributeError) as caught:
        getattr(owner, name)
    return str(caught.value)


@pytest.mark.parametrize(
    ("owner", "name", "instead"),
    [
        (Source, "for_each", "source.run(Sink.for_each(f))"),
        (Source, "read_csv", "Source.csv(path)"),
        (Source, "from_list", "Source.from_iterable("),
        (Flow, "just", "Source.of(value)"),
        (source, "subscribe", "system.publisher(source)"),
        (source, "mapAsync", "'map_async'"),
        (source, "map_parallel", "map_async(f, parallelism=n)"),
        (source, "flatmap", "'flat_map'"),
        (source, "filtre", "'filter'"),
        (source, "aclose", "write open(system=system), and close what it returns"),
        (source, "collect", "source.run(Sink.list())"),
        (Flow(), "where", "filter(predicate)"),
        (Sink, "foreach", "'for_each'"),
        (Sink, "to_list", "Sink.list()"),
        (Sink.list(), "subscribe", "system.subscriber(sink)"),
        (Graph, "execute", "system.start(graph)"),
        (graph, "start", "system.start(graph)"),
        (source, "qqq", "help(Flow)"),
        (source, "resume", "SparkSource.arrow(df).resume(ledger), directly after SparkSource"),
        (source, "acknowledged", "acknowledged(flow, ack), from actors_rs.delivery"),
        (graph, "named", "system.start(graph, name='orders')"),
        (graph, "with_attributes", "or ActorSystem(window=8)"),
    ],
    ids=lambda value: value if isinstance(value, str) else "of",
)
def test_a_guessed_name_is_answered_with_ours(owner, name, instead):
    assert f"has no attribute '{name}'" in said(owner, name)
    assert instead in said(owner, name)


def test_a_name_of_ours_is_suggested_once():
    assert said(source, "with_attribute").endswith(": did you mean 'with_attributes'?")


def test_so_it_is_of_a_run():
    with ActorSystem() as system:
        run = system.start(graph)
        run.result()
    assert "write result(timeout)" in said(run, "get")
    assert "write wait(timeout)" in said(run, "join")


def names_in(module):
    return {
        name
        for name, value in vars(module).items()
        if name[0].islower() and not isinstance(value, types.ModuleType)
    }


@pytest.mark.parametrize(
    "module",
    [reactivex, reactivex.operators, aiostream.stream, itertools],
    ids=lambda module: module.__name__,
)
def test_each_name_of_a_neighbour_is_ours_or_has_an_answer(module):
    known = {plain_name(name) for name in dir(Flow)} | set(neighbours.FOR_FLOWS)
    names = names_in(module) - NOT_FOR_STREAMS
    assert not {name for name in names if plain_name(name) not in known}


CALL = re.compile(r"(?:(\w+)\.)?(\w+)\(")
BEFORE = {
    "Source": Flow,
    "source": Flow,
    "Sink": Sink,
    "system": ActorSystem,
    "flow": Flow,
    "run": Run,
}
PLAIN = {"dict", "set", "sorted", "print", "writer", "cycle", "monotonic", "rows", "table", "pipe"}
PLAIN |= {"Graph", "put", "subscribe", "deque", "ActorSystem", "acknowledged", "resume", "arrow"}


@pytest.mark.parametrize("table", OWNERS)
def test_every_answer_names_what_there_is(table):
    owner = OWNERS[table]
    ours = {name for kind in (owner, Flow, Run, Graph) for name in dir(kind)} | PLAIN
    for advice in vars(neighbours)[table].values():
        for before, name in CALL.findall(advice):
            assert name in (dir(BEFORE[before]) if before in BEFORE else ours), advice


@pytest.mark.parametrize("table", OWNERS)
def test_no_answer_stands_for_a_name_that_is_ours(table):
    ours = {plain_name(name) for name in dir(OWNERS[table]) if name[0] != "_"}
    clash = sorted(ours & set(vars(neighbours)[table]))
    where = f"{table} of actors_rs/graph/neighbours.py"
    assert not clash, f"{', '.join(clash)}: a name of ours now, so remove it from {where}"


def test_no_name_stands_in_two_rows():
    tables = inspect.getsource(neighbours).split("= table(")[1:]
    assert len(tables) == len(OWNERS)
    for table in tables:
        rows = re.findall(r"\(\s*((?:\"[^\"]*\"\s*)+),", table)
        names = [plain_name(name) for row in rows for name in row.replace('"', " ").split()]
        assert len(names) == len(set(names)), sorted(n for n in names if names.count(n) > 1)


def test_what_looks_for_a_method_finds_none():
    for thing in (source, Source, Flow, Sink, Sink.list(), graph):
        assert not hasattr(thing, "subscribe")
        assert not hasattr(thing, "__await__")
        assert getattr(thing, "read_csv", None) is None
        assert not is_publisher(thing)
        assert not is_subscriber(thing)
        assert not is_subscription(thing)


def test_what_looks_inside_goes_on_as_before():
    assert repr(copy.copy(source)) == repr(copy.deepcopy(source)) == repr(source)
    assert "mapAsync" not in dir(source)
    assert not [name for name, _ in inspect.getmembers(Flow) if plain_name(name) == "foreach"]
    assert inspect.signature(Sink.for_each).parameters
    assert get_type_hints(Flow.__repr__) == {"return": str}


def test_the_error_can_be_pickled():
    error = UnknownName(Sink, "to_list")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_an_attribute_that_is_there_and_raises_is_not_called_unknown():
    class Mine(Flow):
        @property
        def mine(self):
            raise AttributeError("of my own")

    assert "'mine' of" in said(Mine(), "mine")
