"""What a restart takes over from a fresh logic must not lead back to that logic."""

from types import MethodType

import pytest

from actors_rs.graph.blueprint import in_order
from actors_rs.stages.linear import Operator, SinkLogic
from tests.conformance.stages import FLOWS, SINKS


def linear_specs(folder):
    """One spec for each kind of operator and sink that the conformance kit knows."""
    ends = [made()._out.spec for made in FLOWS.values()]
    ends += [made(folder)._spec for made in SINKS.values()]
    return {spec.kind: spec for spec in in_order(ends) if spec.lent is None}.values()


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
