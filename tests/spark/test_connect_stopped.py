"""A query of Spark Connect that others end: interrupted, or with its session."""

from functools import partial
from pathlib import Path

import pytest

from actors_rs import ActorSystem, Sink
from actors_rs.spark import FailureKind, SparkPartitionError, SparkSessionLost, SparkSource
from tests.spark import jobs
from tests.spark.connect_server import Server
from tests.spark.test_connect import begun, marking

pytestmark = pytest.mark.spark
until = partial(jobs.until, seconds=60)


def test_a_query_that_somebody_else_interrupts_says_so(
    system: ActorSystem, server: Server, tmp_path: Path
) -> None:
    session = server.session()
    run = begun(system, marking(session, tmp_path, 2, wait=True), tmp_path)
    session.interruptAll()
    with pytest.raises(SparkPartitionError, match="OPERATION_CANCELED") as raised:
        run.result(60)
    assert raised.value.kind is FailureKind.CANCELLED_BY_OTHERS


def test_a_session_that_is_stopped_ends_the_stream(
    system: ActorSystem, server: Server, tmp_path: Path
) -> None:
    session = server.session()
    df = marking(session, tmp_path, 2, wait=True)
    run = begun(system, df, tmp_path)
    session.stop()
    with pytest.raises(SparkSessionLost, match=r"was stopped by|closed or forgotten") as raised:
        run.result(60)
    assert raised.value.kind is FailureKind.CONTEXT_STOPPED
    with pytest.raises(SparkSessionLost, match="was stopped by other code"):
        SparkSource.arrow(df).run(Sink.list())


def test_a_session_that_is_being_stopped_is_what_ended_its_query(
    system: ActorSystem, server: Server, tmp_path: Path
) -> None:
    """The server cancels the query before this process knows that its client is closed."""
    session = server.session()
    run = begun(system, marking(session, tmp_path, 2, wait=True), tmp_path)
    session.client.release_session()
    with pytest.raises(SparkSessionLost, match=r"closed or forgotten") as raised:
        run.result(60)
    assert raised.value.kind is FailureKind.CONTEXT_STOPPED
