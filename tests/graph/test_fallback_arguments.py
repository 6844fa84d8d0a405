# mypy: disable-error-code="arg-type, call-overload, var-annotated"
"""Which functions ``fallback=`` takes, and which it refuses where they are written."""

import functools

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import ArgumentTypeError
from tests.graph.helpers import run


def fails(_):
    raise OSError


async def later(element, error):
    return element


def generator(element, error):
    yield element


@pytest.mark.parametrize("f", [3, "x", later, generator, functools.partial(later, 1)])
def test_what_is_no_plain_function_is_refused_where_it_is_written(f):
    for method in ("map_async", "map_processes"):
        with pytest.raises(ArgumentTypeError, match=f"{method}: fallback must be .*test_fallback"):
            getattr(Source.of(1), method)(str, fallback=f)


ONE_TOO_FEW = {
    "none": lambda: 0,
    "one": lambda error: 0,
    "three": lambda element, error, more: 0,
    "by name only": lambda element, *, error: 0,
    "a method": [].append,
}


@pytest.mark.parametrize("takes", ONE_TOO_FEW)
def test_a_function_that_does_not_take_two_arguments_is_refused_where_it_is_written(takes):
    says = r"fallback must take two arguments, \(element, error\), got .*test_fallback"
    with pytest.raises(ArgumentTypeError, match=says):
        Source.of(1).map_async(str, fallback=ONE_TOO_FEW[takes])


class Unreadable:
    """A function that does not say what it takes."""

    __signature__ = "none"

    def __call__(self, element, error):
        return element


@functools.wraps(len)
def wrapper(*given):
    return given[0]


FITTING = {
    "default": lambda element, error=None: element,
    "one more": lambda element, error, more=3: element,
    "any number": lambda *given: given[0],
    "partial": functools.partial(lambda given, element, error: element, 0),
    "a wrapper": wrapper,
    "unreadable": Unreadable(),
}


@pytest.mark.parametrize("takes", FITTING)
def test_whatever_can_be_called_with_two_arguments_is_taken(takes):
    flow = Source.of(1).map_async(fails, fallback=FITTING[takes])
    assert run(flow.to(Sink.list())) == [1]
