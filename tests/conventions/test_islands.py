"""One kind of stage actor, and one place for links: all else that runs streams uses them."""

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module

from pykka import Actor

from actors_rs.engine.island import Island
from actors_rs.stages.stage import StageLogic

STREAMS = ("stages", "graph", "engine", "language", "delivery")
"""Folders of what streams are made of. Actors of the runtime are not stages."""
SIGNALS = ("push", "complete", "fail")
"""What an outlet needs to send to."""
LINKS = "actors_rs.engine.links"
NO_LINKS = {
    "actors_rs.engine.monitored": "watches a link",
    "actors_rs.engine.severing": "stands for no peer, where a link was cut",
    "actors_rs.engine.inner.handoff": "stands for a receiver that has not come yet",
}
LOGICS = {
    "actors_rs.engine.sections.section": "Section",
    "actors_rs.stages.operators.group_by": "GroupBy",
    "actors_rs.stages.hubs.hub": "HubLogic",
    "actors_rs.stages.hubs.merge_hub": "MergeHubLogic",
    "actors_rs.stages.hubs.partition_hub": "PartitionHubLogic",
}


def classes() -> Iterator[type]:
    for folder in STREAMS:
        package = import_module(f"actors_rs.{folder}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = import_module(found.name)
            for kind in vars(module).values():
                if inspect.isclass(kind) and kind.__module__ == found.name:
                    yield kind


def is_a_downstream(kind: type) -> bool:
    return all(hasattr(kind, signal) for signal in SIGNALS) and not vars(kind).get("_is_protocol")


def test_an_island_is_the_only_kind_of_actor_that_runs_stages():
    assert [kind for kind in classes() if issubclass(kind, Actor)] == [Island]


def test_every_link_is_in_the_module_of_links_or_at_the_boundary():
    found = {kind.__module__ for kind in classes() if is_a_downstream(kind)}
    elsewhere = {module for module in found if ".boundary." not in module}
    assert elsewhere == {LINKS, *NO_LINKS}


def test_sections_groups_and_hubs_are_logics_like_any_other_stage():
    for module, name in LOGICS.items():
        assert issubclass(getattr(import_module(module), name), StageLogic)
