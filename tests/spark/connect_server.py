"""A Spark Connect server in a process of its own, for tests; and sessions of it."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from typing import Any

import pyspark
import pytest

from actors_rs.spark.java import find_java_home
from tests.spark.jobs import until
from tests.spark.master import CONF, MASTER

DETACHED_SECONDS = 5
"""How long the server keeps results that nobody comes for; a machine that stalls may be late."""
_STARTED = re.compile(r"Spark Connect server started at: \S+:(\d+)$", re.MULTILINE)
_CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"
_CONF = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "Europe/Berlin",
    "spark.python.task.killTimeout": "100ms",
    # What takes minutes with the defaults: streams end, and results are given up.
    "spark.connect.execute.reattachable.senderMaxStreamDuration": "1s",
    "spark.connect.execute.manager.detachedTimeout": f"{DETACHED_SECONDS}s",
    "spark.connect.execute.manager.maintenanceInterval": "500ms",
}


class Server:
    """A running server. ``sessions`` are made without pyspark's builder, which would make all
    functions of pyspark in this process remote ones."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.port = 0
        self._sessions: list[Any] = []

    def session(self, port: int | None = None) -> Any:
        from pyspark.sql.connect.session import SparkSession

        builder: Any = SparkSession.builder
        session = builder.remote(f"sc://127.0.0.1:{port or self.port}").create()
        self._sessions.append(session)
        return session

    def close(self) -> None:
        """Kill it; first the clients, which otherwise go on trying when this process ends."""
        for session in self._sessions:
            session.client.close()
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()


@contextmanager
def connect_server(folder: Path) -> Iterator[Server]:
    # It takes a port that is free: one that was found free before may be another's by then.
    settings = {**_CONF, **CONF, "spark.connect.grpc.binding.port": "0"}
    submit = str(Path(pyspark.__path__[0]) / "bin" / "spark-submit")
    command = [submit, "--class", _CLASS, "--master", MASTER, "--driver-memory", "1g"]
    command += ["--driver-java-options", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"]
    for key, value in settings.items():
        command += ["--conf", f"{key}={value}"]
    environment = os.environ | {
        "JAVA_HOME": str(find_java_home()),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    logged = folder / "server.log"
    with logged.open("wb") as log:
        process = subprocess.Popen(
            [*command, "spark-internal"], cwd=folder, env=environment, stdout=log, stderr=log
        )
    server = Server(process)
    try:
        until(lambda: process.poll() is not None or _STARTED.search(logged.read_text()), 300)
        if process.poll() is not None:
            pytest.fail(logged.read_text())
        server.port = int(_STARTED.findall(logged.read_text())[0])
        yield server
    finally:
        server.close()


class Proxy:
    """Passes connections on to a server, and breaks them when it is told to.

    What comes back on one is held up behind ``most`` bytes until it is broken; later ones are not.
    """

    def __init__(self, port: int, most: float = inf) -> None:
        self._to = port
        self._most = most
        self._broken = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def break_connections(self) -> None:
        broken, self._open, self._most = self._open, [], inf
        for connection in broken:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._broken.set()

    def close(self) -> None:
        self._listener.close()
        self.break_connections()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near = self._listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self._to))
                self._open += [near, far]
                for ends in ((near, far, inf), (far, near, self._most)):
                    threading.Thread(target=self._pump, args=ends, daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, most: float) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if (most := most - len(data)) < 0:
                    self._broken.wait()
                target.sendall(data)
        for connection in (source, target):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
