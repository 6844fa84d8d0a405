"""The board and the alert rules in the examples ask for metrics that exist, with their labels."""

import json
import re
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from actors_rs import ActorSystem
from actors_rs.observability.prometheus import Collector

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "grafana"
NAME = re.compile(r"\bactors_[a-z_]+")


@pytest.fixture(scope="module")
def known():
    registry = CollectorRegistry()
    with ActorSystem() as system:
        registry.register(Collector(system))
        families = list(registry.collect())
    return {one.name + ("_total" if one.type == "counter" else "") for one in families}


def board():
    return json.loads((FOLDER / "board.json").read_text())


def expressions():
    return [target["expr"] for panel in board()["panels"] for target in panel["targets"]]


def rules():
    text = (FOLDER / "alerts.yml").read_text()
    return re.findall(r"^ +expr: (.+)$", text, re.MULTILINE)


@pytest.mark.parametrize("expression", [*expressions(), *rules()])
def test_an_expression_asks_for_metrics_that_exist(known, expression):
    names = set(NAME.findall(expression))
    assert names
    assert names <= known


def test_the_variables_of_the_board_are_labels_of_metrics_that_exist(known):
    queries = [one["query"] for one in board()["templating"]["list"] if one["type"] == "query"]
    assert queries
    for query in queries:
        assert set(NAME.findall(query)) <= known


def test_every_counter_of_stages_is_on_the_board_or_told_why_not(known):
    shown = {name for expression in expressions() for name in NAME.findall(expression)}
    left_out = {
        "actors_stage_elements_in_total",  # what came in is what the stage before gave
        "actors_stage_inner_elements_total",
        "actors_stage_undelivered_total",
    }
    counters = {name for name in known if re.fullmatch(r"actors_stage_\w+_total", name)}
    assert counters - shown == left_out


def test_every_alert_says_what_has_happened():
    text = (FOLDER / "alerts.yml").read_text()
    assert text.count("alert: ") == len(rules()) == text.count("summary: ")
