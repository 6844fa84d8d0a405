"""The import law: who may know whom. First the package, then planted violations."""

from functools import cache

import pytest

from tests.conventions.imports import (
    MAY_IMPORT,
    SEAM,
    Import,
    across_layers,
    around_the_seam,
    imports_of,
    needed_from_outside,
    spark_outside_its_room,
    without_a_place,
)
from tests.conventions.project import package_faces, package_modules

CHECKS = [across_layers, around_the_seam, spark_outside_its_room, needed_from_outside]


@cache
def package_imports():
    faces = package_faces()
    return {
        module: imports_of(module, text, is_package=module in faces)
        for module, text in package_modules().items()
    }


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_no_module_breaks_the_import_law(check):
    said = [one for module, found in package_imports().items() for one in check(module, found)]
    assert not said, "\n".join(said)


def test_every_module_has_its_place_in_the_law():
    said = [one for module in package_modules() for one in without_a_place(module)]
    assert not said, "\n".join(said)


def test_the_seam_exists_and_imports_what_nobody_else_may():
    found = {one.top for one in imports_of(SEAM, package_modules()[SEAM])}
    assert {"threading", "queue", "time", "random"} <= found


def test_the_law_has_no_circle():
    def reach(unit, seen):
        assert unit not in seen, f"{unit} reaches itself through {seen}"
        for other in MAY_IMPORT[unit] - {unit}:
            reach(other, [*seen, unit])

    for unit in MAY_IMPORT:
        reach(unit, [])


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("actors_rs.errors", "from actors_rs.protocol.demand import Demand"),
        ("actors_rs.protocol.link", "import actors_rs.runtime.actors.actor"),
        ("actors_rs.protocol.link", "from ..runtime import actor"),
        ("actors_rs.runtime.system.system", "from actors_rs.language import Source"),
        ("actors_rs.runtime.system.system", "from actors_rs import Source"),
        ("actors_rs.stages.stage", "from actors_rs import runtime"),
        (
            "actors_rs.stages.stage",
            "def f():\n    from actors_rs.runtime.actors.actor import PooledActor",
        ),
        ("actors_rs.language", "from actors_rs.spark import SparkSource"),
        ("actors_rs.language", "from actors_rs.observability.metrics import Metrics"),
        ("actors_rs.spark.source", "from actors_rs.testing import probes"),
        ("actors_rs", "from actors_rs.cli import main as main"),
        ("actors_rs", "from actors_rs.testing import probes as probes"),
    ],
)
def test_a_planted_import_across_layers_is_caught(module, text):
    assert len(across_layers(module, imports_of(module, text))) == 1


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("actors_rs.protocol.link", "from actors_rs.errors import ProtocolError"),
        ("actors_rs.protocol.link", "from . import demand"),
        (
            "actors_rs.language",
            "from actors_rs.stages.stage import Stage\nimport actors_rs.runtime",
        ),
        ("actors_rs.spark.source", "from ..graph.blueprint import Blueprint"),
        ("actors_rs.cli", "from actors_rs import ActorSystem\nfrom actors_rs.spark import session"),
    ],
)
def test_imports_down_the_layers_pass(module, text):
    assert across_layers(module, imports_of(module, text)) == []


def test_relative_imports_of_a_package_start_at_the_package_itself():
    (found,) = imports_of("actors_rs.stages", "from .stage import Stage", is_package=True)
    assert found.name == "actors_rs.stages.stage.Stage"


@pytest.mark.parametrize(
    "text",
    [
        "import threading",
        "import time as clock",
        "from queue import SimpleQueue",
        "def f():\n    import random",
        "if True:\n    import _thread",
        "class C:\n    from time import monotonic",
        "try:\n    import threading\nexcept ImportError:\n    pass",
    ],
)
def test_a_planted_import_around_the_seam_is_caught(text):
    assert len(around_the_seam("actors_rs.language", imports_of("actors_rs.language", text))) == 1


def test_the_seam_itself_may_import_threads_and_time():
    assert around_the_seam(SEAM, imports_of(SEAM, "import threading, time")) == []


@pytest.mark.parametrize(
    "text",
    [
        "import pyspark",
        "def f():\n    from pyspark.sql import SparkSession",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import py4j.java_gateway",
    ],
)
def test_a_planted_import_of_spark_outside_its_room_is_caught(text):
    found = imports_of("actors_rs.cli", text)
    assert len(spark_outside_its_room("actors_rs.cli", found)) == 1
    assert spark_outside_its_room("actors_rs.spark.source", found) == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("actors_rs.observability.table", "import rich.live"),
        (
            "actors_rs.stages.sinks.files.parquet",
            "try:\n    import pyarrow\nexcept ImportError:\n    pass",
        ),
        ("actors_rs.stages.stage", "import pykka"),
        ("actors_rs.protocol.link", "from pykka import Actor"),
    ],
)
def test_a_planted_dependency_of_the_core_is_caught(module, text):
    assert len(needed_from_outside(module, imports_of(module, text))) == 1


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("actors_rs.observability.table", "def f():\n    import rich.live"),
        (
            "actors_rs.language",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pyarrow",
        ),
        (
            "actors_rs.runtime.actors.actor",
            "import pykka, sqlite3\nfrom __future__ import annotations",
        ),
        ("actors_rs.spark.source", "import pyarrow"),
    ],
)
def test_optional_libraries_pass_inside_functions_for_types_and_in_sparks_room(module, text):
    assert needed_from_outside(module, imports_of(module, text)) == []


def test_the_branch_beside_a_type_checking_branch_counts_as_run():
    text = "if TYPE_CHECKING:\n    import pyarrow\nelse:\n    import rich"
    assert imports_of("m", text) == [
        Import("pyarrow", 2, False, for_types=True),
        Import("rich", 4, True),
    ]


def test_a_module_without_a_place_is_caught():
    assert len(without_a_place("actors_rs.helpers")) == 1
    assert without_a_place("actors_rs.language") == without_a_place("actors_rs") == []
