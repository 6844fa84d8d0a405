# mypy: disable-error-code="arg-type, var-annotated"
"""The line that an error shows for a stage is the user's or left out, and never one of Python's."""

import re
import threading

import pytest

from actors_rs import Flow, Sink, Source
from actors_rs.errors import StageError
from actors_rs.graph.blueprint import check_source, check_used_once
from actors_rs.graph.spec import OutletRef, StageSpec
from tests.graph.helpers import SECONDS

LINES_OF_PYTHON = re.compile(r"(threading|thread|typing)\.py")


def failure_of(system, flow):
    with pytest.raises(StageError) as caught:
        system.start(flow.to(Sink.list())).result(SECONDS)
    return str(caught.value)


@pytest.mark.parametrize("breadth", [None, 3])
def test_a_flow_that_is_no_source_is_shown_with_the_line_of_the_stage_that_got_it(shared, breadth):
    flow = Source.of(1).flat_map(lambda _: Flow(), breadth)
    line = test_a_flow_that_is_no_source_is_shown_with_the_line_of_the_stage_that_got_it
    said = failure_of(shared, flow)
    assert "got an empty Flow, whose input is open" in said
    assert said.endswith(f"(made at {__file__}:{line.__code__.co_firstlineno + 2})")
    assert not LINES_OF_PYTHON.search(said)


@pytest.mark.parametrize("breadth", [None, 3])
def test_a_stage_that_was_made_by_a_method_as_a_function_shows_no_line_of_a_thread(shared, breadth):
    said = failure_of(shared, Source.of([{}]).flat_map(Source.of, breadth).flat_map(len, breadth))
    assert not LINES_OF_PYTHON.search(said)
    said = failure_of(shared, Source.of(1).map(Flow().map))
    assert said.startswith("stage 'map' failed at element 0: ArgumentTypeError: map: f must be")
    assert not LINES_OF_PYTHON.search(said)


def made_in_a_thread(make):
    made = []
    thread = threading.Thread(target=lambda f: made.append(f()), args=(make,))
    thread.start()
    thread.join()
    return made[0]


def test_a_blueprint_made_in_a_thread_of_the_users_shows_the_line_there():
    spec = made_in_a_thread(lambda: Source.of(1))._out.spec
    assert spec.site.startswith(f"{__file__}:")
    assert spec.made == f" (made at {spec.site})"


def test_a_message_about_a_stage_that_no_line_made_leaves_the_line_out():
    source = Source.of(1)._out
    nobodys = StageSpec("nobodys", make=source.spec.make, inputs=(source,))
    twin = StageSpec("twin", make=source.spec.make, inputs=(source,))
    with pytest.raises(ValueError, match="inlet, got two: 'nobodys' and 'twin'; use "):
        check_used_once([nobodys, twin])
    unfed = Flow().map(str)._out.spec
    lineless = StageSpec("lineless", make=unfed.make, inputs=unfed.inputs)
    with pytest.raises(ValueError, match=r"at stage 'lineless'$"):
        check_source([lineless], OutletRef(lineless))
