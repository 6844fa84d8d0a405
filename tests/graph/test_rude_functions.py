# mypy: disable-error-code="misc, override, arg-type, var-annotated, no-any-return, no-untyped-def"
"""Functions whose attributes cannot be read, and classes that do not tell their names."""

import logging

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS, wait_until
from tests.graph.stuck import Stuck


class Secretive:
    """A function that tells nothing of itself: neither its name nor where it comes from."""

    def __init__(self, f):
        object.__setattr__(self, "f", f)

    def __call__(self, *arguments):
        return object.__getattribute__(self, "f")(*arguments)

    def __getattribute__(self, name):
        if name == "__class__":
            return Secretive
        raise ValueError(f"rude: {name}")

    def __repr__(self):
        raise ValueError("rude")


class _Nameless(type):
    @property
    def __name__(cls):
        raise ValueError("rude name")

    @property
    def __module__(cls):
        raise ValueError("rude module")

    def __repr__(cls):
        raise ValueError("rude")


class NamelessError(Exception, metaclass=_Nameless):
    pass


class Nameless(metaclass=_Nameless):
    pass


def last(*arguments):
    return arguments[-1]


def fails(*_):
    raise NamelessError


STREAMS = {
    "map": lambda s, f: s.map(f),
    "filter": lambda s, f: s.filter(f),
    "starmap": lambda s, f: s.map(lambda one: (one,)).starmap(f),
    "scan": lambda s, f: s.scan(0, f),
    "fuse": lambda s, f: s.map(f).filter(f).fuse(),
    "flat_map": lambda s, f: s.map(lambda one: [one]).flat_map(f),
    "switch_map": lambda s, f: s.map(lambda one: [one]).switch_map(f),
    "expand": lambda s, f: s.map(lambda one: [one]).expand(f),
    "conflate": lambda s, f: s.conflate(f, f),
    "zip_latest": lambda s, f: s.zip_latest(Source.of(1)).map(f),
    "group_by": lambda s, f: s.group_by(f, 4).flat_map(lambda group: group, breadth=4),
    "map_async": lambda s, f: s.map_async(f, 2),
    "map_async, fallback": lambda s, f: s.map_async(fails, 2, fallback=f),
    "map_async, by key": lambda s, f: s.map_async(last, 2, key=f),
    "merge_sorted": lambda s, f: s.merge_sorted(Source.of(1), key=f),
    "throttle": lambda s, f: s.throttle(1000, cost=f),
    "distinct": lambda s, f: s.distinct(key=f),
    "take_while": lambda s, f: s.take_while(f),
    "max": lambda s, f: s.max(key=f),
    "monitor": lambda s, f: s.monitor(f),
}


def run(stream):
    """What it gave and what it raised; every text of it is asked for."""
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        graph = stream.to(Sink.list())
        going = system.start(graph)
        result = raised = None
        try:
            result = going.result(SECONDS)
        except StageError as error:
            raised = error
        assert all(map(repr, (graph, going, going.snapshot(), *system.dead_letters.recent())))
        assert graph.draw()
    return result, raised


@pytest.mark.parametrize("name", STREAMS)
def test_a_function_whose_attributes_cannot_be_read_is_called_all_the_same(name):
    result, raised = run(STREAMS[name](Source.of(1, 2, 3), Secretive(last)))
    assert raised is None
    assert result


@pytest.mark.parametrize("name", STREAMS)
def test_an_error_whose_class_has_no_name_to_read_is_the_failure_of_its_element(name):
    _, raised = run(STREAMS[name](Source.of(1, 2, 3), Secretive(fails)))
    assert "NamelessError without a text, raised in fails" in str(raised)
    assert name == "monitor" or raised.position is not None


@pytest.mark.parametrize(
    "name", sorted(STREAMS.keys() - {"conflate", "group_by", "max", "monitor"})
)
def test_it_is_passed_over_as_the_policy_says(name):
    stream = STREAMS[name](Source.of(1, 2, 3), fails)
    _, raised = run(stream.on_failure(decider=Secretive(lambda error, element: "resume")))
    assert raised is None


def test_elements_whose_class_has_no_name_pass():
    result, raised = run(Source.of(Nameless(), Nameless()).map(last).map_async(last, 2))
    assert raised is None
    assert [type(one) is Nameless for one in result] == [True, True]


def test_a_call_that_is_given_up_is_named_though_its_function_tells_nothing(caplog):
    caplog.set_level(logging.WARNING)
    stuck = Stuck()
    with ActorSystem(workers=2, cancel_grace=0.05, shutdown_timeout=SECONDS) as system:
        going = system.start(Source.of(1).map_async(Secretive(stuck), 1).to(Sink.list()))
        assert stuck.begun.wait(SECONDS)
        going.cancel()
        with pytest.raises(Exception, match="cancelled"):
            going.result(SECONDS)
        wait_until(lambda: "is abandoned" in caplog.text)
        stuck.release()
