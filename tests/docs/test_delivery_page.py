"""The page on delivery names each operator that is refused for acknowledged elements."""

import re
from pathlib import Path

import pytest

from actors_rs import Flow
from actors_rs.delivery.carrying.envelope_rules import ACKNOWLEDGING, REMEMBERING
from actors_rs.errors import GraphError
from actors_rs.graph.blueprint import in_order
from tests.conformance.stages import FLOWS, VARIANTS
from tests.graph.blueprint_rows import METHODS, SEVERAL

PAGE = Path(__file__).parents[2] / "docs/delivery.md"
TITLE = "Stages that cannot acknowledge"
SECTION = PAGE.read_text("utf-8").partition(f"### {TITLE}\n")[2].partition("\n## ")[0]
LIST, AFTER_RESUME = SECTION.split("After a source with `resume`")
CALLED = {"operator": "@operator", "feedback": "Feedback", "section": "restart"}
"""Kind of stage -> what makes it, where that has another name."""


def operators():
    """A spec of each operator and junction, by its kind."""
    flows = [make() for table in (FLOWS, VARIANTS) for make in table.values()]
    flows += [make(Flow()) for table in (METHODS, SEVERAL) for make in table.values()]
    ends = [flow._out.spec for flow in flows if flow._out.spec is not None]
    return {spec.kind: spec for spec in in_order(ends) if spec.inputs and spec.outlets}


def is_refused(spec):
    try:
        ACKNOWLEDGING.maker_for(spec)
    except GraphError:
        return True
    return False


def test_the_page_names_each_operator_that_is_refused_for_acknowledged_elements():
    refused = {CALLED.get(kind, kind) for kind, spec in operators().items() if is_refused(spec)}
    assert {"take", "zip", "concat", "@operator"} <= refused
    unnamed = sorted(name for name in refused if f"`{name}`" not in LIST)
    assert not unnamed, (
        f'{unnamed}: name them in "{TITLE}" in docs/delivery.md, or make them acknowledge in '
        "actors_rs/delivery/carrying/envelope_rules.py"
    )


def test_no_operator_that_can_acknowledge_is_among_those_that_cannot():
    accepted = {kind for kind, spec in operators().items() if not is_refused(spec)}
    named = {name for part in LIST.split("\n- ")[1:] for name in names_before_a_remedy(part)}
    assert named & accepted <= {"flat_map", "buffer"}  # by their arguments


def names_before_a_remedy(part):
    return re.findall(r"`(\w+)`", part.partition("Instead, ")[0])


@pytest.mark.parametrize("name", sorted(REMEMBERING))
def test_the_page_names_each_operator_that_is_refused_after_a_source_that_resumes(name):
    assert f"`{name}`" in AFTER_RESUME.partition("except")[0]
