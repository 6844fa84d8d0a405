"""A Spark Connect server that freezes or dies ends what waits for it, and no thread stays behind.

With the patience shortened; how long it takes with the real one is written down in the decision.
"""

import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from actors_rs import ActorSystem, Run, Sink, Source
from actors_rs.spark import (
    FailureKind,
    SparkSessionLost,
    SparkSink,
    SparkSource,
    liveness,
    stage,
)
from actors_rs.spark.connecting import query as connect_query
from actors_rs.spark.connecting import server as connect_server
from tests.spark.connect_server import Server
from tests.spark.connect_server import connect_server as a_server
from tests.spark.jobs import subscribed, until

pytestmark = pytest.mark.spark
SECONDS = 60.0


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with a_server(tmp_path) as server:
        yield server


def impatient(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(connect_query, "MEND_SECONDS", 1.0)
    patch.setattr(liveness, "GREET_EVERY", 0.2)
    patch.setattr(stage, "PROBE_SECONDS", 0.2)


def stuck(remote: Any, folder: Path) -> Any:
    marks = str(folder)

    def stick(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import time
        import uuid

        open(f"{marks}/{uuid.uuid4()}", "w").close()
        time.sleep(600)
        yield from batches

    return remote.range(0, 1, 1, 1).mapInArrow(stick, "id long")


def lost(end: Callable[[], object], kind: FailureKind, said: str) -> None:
    with pytest.raises(SparkSessionLost, match=said) as raised:
        end()
    assert raised.value.kind is kind


def test_a_server_that_freezes_or_is_killed_ends_whatever_waits_for_it(
    system: ActorSystem, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    remote = server.session()
    remote.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
    paused = subscribed(system, SparkSource.rows(remote.range(0, 3000, 1, 1)))
    paused.subscription.request(1)
    until(lambda: paused.got)

    def writing(df: Any, number: int) -> None:
        stuck(df.sparkSession, marks).collect()

    batch = pa.record_batch([[1]], ["id"])
    waiting = SparkSource.arrow(stuck(remote, marks), max_attempts=3).to(Sink.list())
    write = Source.of(batch).to(SparkSink.foreach_batch(remote, writing))
    runs: list[Run[Any]] = [system.start(waiting), system.start(write)]
    until(lambda: len(list(marks.iterdir())) == 2)

    later = SparkSource.rows(remote.range(3)).to(Sink.list())
    with monkeypatch.context() as patch:
        server.process.send_signal(signal.SIGSTOP)
        impatient(patch)
        # Not before nor behind: a server that lives may well need a second on a busy machine.
        patch.setattr(connect_server, "ANSWER_SECONDS", 1.0)
        for run in runs:
            lost(partial(run.result, SECONDS), FailureKind.JVM_FROZEN, "did not answer for 1 s")
        until(lambda: paused.error is not None)
        lost(later.run, FailureKind.JVM_FROZEN, "did not answer for 1 s")

    server.process.send_signal(signal.SIGCONT)
    runs = [system.start(waiting), system.start(write)]
    until(lambda: len(list(marks.iterdir())) == 4)  # the server has given the others up
    server.process.kill()
    impatient(monkeypatch)
    for run in runs:
        lost(partial(run.result, SECONDS), FailureKind.JVM_GONE, "can no longer be reached")
    lost(later.run, FailureKind.JVM_GONE, "can no longer be reached")
