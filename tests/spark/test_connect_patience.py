"""A Spark Connect server that has too much to do: what it is told to stop reaches it late."""

import threading
from collections.abc import Iterator
from concurrent import futures
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from pyspark.sql.connect.proto import base_pb2, base_pb2_grpc

from actors_rs.spark.connecting import server as connect_server
from actors_rs.spark.connecting.server import ConnectServer

SECONDS = 60


class Busy(base_pb2_grpc.SparkConnectServiceServicer):
    """Answers when it is allowed to, and notes whether somebody still waited then."""

    def __init__(self) -> None:
        self.asked, self.may_answer = threading.Event(), threading.Event()
        self.still_wanted: list[bool] = []
        self.answered = threading.Event()

    def Interrupt(self, request: Any, context: Any) -> Any:  # noqa: N802 - the name of the method
        self.asked.set()
        self.may_answer.wait(SECONDS)
        self.still_wanted.append(context.is_active())
        self.answered.set()
        return base_pb2.InterruptResponse(session_id=request.session_id)


@pytest.fixture
def busy() -> Iterator[tuple[Busy, ConnectServer]]:
    service, server = Busy(), grpc.server(futures.ThreadPoolExecutor(2))
    base_pb2_grpc.add_SparkConnectServiceServicer_to_server(service, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        client = SimpleNamespace(
            _stub=base_pb2_grpc.SparkConnectServiceStub(channel),
            _builder=SimpleNamespace(metadata=list),
            _execute_plan_request_with_metadata=base_pb2.ExecutePlanRequest,
        )
        yield service, ConnectServer(SimpleNamespace(client=client))
    service.may_answer.set()
    server.stop(None).wait(SECONDS)


def test_an_interrupt_that_is_not_answered_in_time_is_left_for_the_server_to_find(
    busy: tuple[Busy, ConnectServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, server = busy
    monkeypatch.setattr(connect_server, "ANSWER_SECONDS", 0.1)
    server.interrupt("one")  # does not wait longer than that
    assert service.asked.wait(SECONDS)
    service.may_answer.set()
    assert service.answered.wait(SECONDS)
    assert service.still_wanted == [True]


def test_an_interrupt_that_is_left_to_the_server_ends_when_its_session_is_cut_off(
    busy: tuple[Busy, ConnectServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, server = busy
    monkeypatch.setattr(connect_server, "ANSWER_SECONDS", 0.1)
    server.interrupt("one")
    assert service.asked.wait(SECONDS)
    (call,) = server._calls
    ended = threading.Event()
    call.add_done_callback(lambda _: ended.set())
    server.cut()
    assert ended.wait(SECONDS)
    assert call.code() is grpc.StatusCode.CANCELLED
    assert not server._calls
