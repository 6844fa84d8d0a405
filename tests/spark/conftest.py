"""One Spark session for all tests of this folder, small and quick to start."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem
from actors_rs.spark.session import local_session
from tests.spark.connect_server import Server, connect_server
from tests.spark.jobs import jobs_running, until
from tests.spark.master import CONF, MASTER, warm_up

SECONDS = 600
"""For one test, the start of a JVM before it and the first query on it included, which take minutes
where others use the processors too. A test that waits for a condition gives up long before. One
that is broken off within a call of Spark's leaves the connection to the JVM out of step, and all
tests behind it fail."""


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SECONDS))


def shared_session() -> SparkSession:
    """The one of this process; another one where it was stopped or lost."""
    session = local_session(
        "tests",
        master=MASTER,
        short_lived=True,
        conf={
            "spark.driver.memory": "1g",
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.session.timeZone": "Europe/Berlin",
            **CONF,
        },
    )
    warm_up(session)
    return session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = shared_session()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A Spark Connect server, for tests that leave it alive."""
    with connect_server(tmp_path_factory.mktemp("connect")) as server:
        yield server


@pytest.fixture(scope="session")
def remote(server: Server) -> Any:
    """A session of Spark Connect."""
    return server.session()


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """A thread that was given up in a call of Spark's ends with that call."""
    yield
    until(lambda: not any(one.name.startswith("actors") for one in threading.enumerate()))


@pytest.fixture(autouse=True)
def no_job_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Jobs that were cancelled end a moment later; the next test counts its own, and no others."""
    spark = request.getfixturevalue("spark") if "spark" in request.fixturenames else None
    yield
    if spark is not None:
        until(lambda: jobs_running(spark) == 0)


@pytest.fixture
def system() -> Iterator[ActorSystem]:
    with ActorSystem() as system:
        yield system
