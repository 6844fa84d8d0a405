"""Writing over Spark Connect: the work of a ``SparkSink`` of a remote session.

pyspark's own client repeats a request for ten minutes when the server is gone, and a write blocks.
So each write has a connection of its own to the same session on the server, which tries less
patiently and is closed when the server is found lost: then the write fails at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from actors_rs.errors import GraphError
from actors_rs.spark.connecting.failures import closed_here, described
from actors_rs.spark.connecting.liveness import reach, watch_server
from actors_rs.spark.connecting.server import ConnectServer
from actors_rs.spark.connecting.source import INSTEAD
from actors_rs.spark.failures import SparkSessionLost
from actors_rs.spark.sinks.data_set import DataSet
from actors_rs.spark.sinks.sink_stages import SparkWrite, data_frame_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["ConnectWriter", "MakeWithoutUnits"]

_RETRIES = 6  # of at most two seconds each


class ConnectWriter:
    """Hands pieces to Spark as DataFrames. Blocks."""

    context: Any = None  # there is none

    def __init__(self, session: Any, what: str, write: Callable[[DataFrame, Any], object]) -> None:
        if session.client.is_closed:
            raise closed_here("the making of a SparkSink")
        self._session = session
        self._what = what
        self._write = write

    def __call__(self, table: pa.Table, number: Any) -> None:
        self.ask(lambda session: self._write(data_frame_of(session, table), number))

    def ask(self, function: Callable[[Any], Any]) -> Any:
        """Call ``function`` with a session on a connection of its own. Blocks."""
        lost: list[SparkSessionLost] = []
        server = ConnectServer(self._session)
        try:
            reach(server)
            with _connected(self._session) as mine:

                def cut(error: SparkSessionLost) -> None:
                    lost.append(error)
                    mine.client._channel.close()

                with watch_server(server, cut):
                    return function(mine)
        except Exception as error:
            if lost:
                raise lost[0] from error
            raise described(error, server, self._what) from error


class MakeWithoutUnits:
    """Makes the stage; says what is not possible if the stream is acknowledged."""

    def __init__(self, writer: ConnectWriter, rows: int, data_set: Callable[[], DataSet]) -> None:
        self.writer = writer
        self.rows = rows
        self.data_set = data_set

    def __call__(self) -> SparkWrite:
        """See ``StageSpec.make``."""
        return SparkWrite(self.writer, self.rows, self.data_set())

    @property
    def carrying(self) -> Any:
        """See ``delivery.carrying.envelope_rules``."""
        raise GraphError(
            "SparkSink.parquet after a source with a ledger must read which run has written into "
            "the directory, which Spark Connect does not allow: use SparkSink.foreach_batch with a "
            f"function that overwrites the rows of its partition's number, or {INSTEAD}"
        )


@contextmanager
def _connected(session: Any) -> Iterator[Any]:
    """``session`` with a connection of its own. By names that are private to pyspark."""
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.proto import base_pb2_grpc

    client = _twin(session.client)
    client._channel = client._builder.toChannel()
    stub: Any = base_pb2_grpc.SparkConnectServiceStub
    client._stub = stub(client._channel)
    client._artifact_manager = _twin(client._artifact_manager)
    client._artifact_manager._stub = client._stub
    client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES, max_backoff=2000)])
    mine = _twin(session)
    mine._client = client
    try:
        yield mine
    finally:
        client._channel.close()


def _twin(thing: Any) -> Any:
    """Another one with the same attributes; copy.copy would give the session itself."""
    twin = object.__new__(type(thing))
    twin.__dict__.update(thing.__dict__)
    return twin
