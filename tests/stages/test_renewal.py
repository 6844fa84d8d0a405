# mypy: disable-error-code="var-annotated"
"""What a restart takes over from a fresh logic, and what it leaves as it is."""

from itertools import count
from types import MethodType

import pytest

from actors_rs import Sink, Source, merge
from actors_rs.graph.blueprint import in_order
from actors_rs.stages.linear import Operator, SinkLogic
from actors_rs.stages.operators.map import Map
from actors_rs.stages.stage import StageLogic
from actors_rs.testing.world import World
from tests.conformance.stages import FLOWS, SINKS
from tests.stages.harness import Alone


def linear_specs(folder):
    """One spec for each kind of operator and sink that the conformance kit knows."""
    ends = [made()._out.spec for made in FLOWS.values()]
    ends += [made(folder)._ends[0] for made in SINKS.values()]
    return {spec.kind: spec for spec in in_order(ends) if spec.handoff is None}.values()


@pytest.mark.filterwarnings("ignore")
def test_no_operator_or_sink_keeps_a_method_of_its_own(tmp_path):
    seen = set()
    for spec in linear_specs(tmp_path):
        logic = spec.make()
        if isinstance(logic, Operator | SinkLogic):
            seen.add(spec.kind)
            for name, value in vars(logic).items():
                own = isinstance(value, MethodType) and value.__self__ is logic
                assert not own, f"{type(logic).__name__}.{name} is a method of the fresh logic"
    assert {"map", "scan", "flat_map", "take"} <= seen


def test_whatever_a_logic_has_from_its_surroundings_is_left_alone_by_a_restart():
    alone = Alone(Map(str))
    logic = alone.logic
    logic.remake = lambda: Map(str)
    own = {name for name, value in vars(StageLogic).items() if not callable(value)}
    told = {name: object() for name in own - {"finished"} if not name.startswith("__")}
    assert {"window", "in_steps", "on_lost", "on_failure"} <= told.keys()
    for name, value in told.items():
        setattr(logic, name, value)
    logic.renew(ValueError(), 0)
    assert {name: getattr(logic, name) for name in told} == told
    assert logic.context is alone


def drawn_by_a_stream_behind(policy):
    """How many elements an inner stream is asked for that nobody takes."""
    drawn = []

    def f(x):
        if x == 0:
            raise ValueError(x)
        return merge(Source.from_iterable(lambda: map(drawn.append, count())), Source.never())

    with World(window=4) as world:
        flow = Source.of(0, 1).flat_map(f).on_failure(policy).zip(Source.never())
        run = world.start(flow.to(Sink.list()))
        world.settle()
        run.cancel()
        run.wait()
    return len(drawn)


def test_behind_a_restart_flat_map_asks_its_streams_for_its_window_as_before():
    assert drawn_by_a_stream_behind("restart") == drawn_by_a_stream_behind("resume")
