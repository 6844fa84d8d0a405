"""Sessions that are stopped and JVMs that are killed, as plans of partitions meet them."""

import pytest

from tests.spark.programs import output_of

pytestmark = pytest.mark.spark

PROGRAM = """
import os, signal, threading
from concurrent.futures import ThreadPoolExecutor
from actors_rs.spark.failures import SparkSessionLost
from actors_rs.spark.fetching.partitions import ArrowPartitions, RddPartitions, RowPartitions
from actors_rs.spark.session import local_session
from tests.spark.master import CONF, MASTER

def session():
    return local_session(master=MASTER, short_lived=True,
                         conf={**CONF, "spark.driver.memory": "512m"})

def sleeping(batches):
    import time
    time.sleep(600)
    yield from batches

def lost(what, fetch):
    try:
        fetch()
    except SparkSessionLost as error:
        say(f"{what} LOST {error} {error.kind.name}")
    except BaseException as error:
        say(f"{what} OTHER {error!r}")

def say(what):
    os.write(1, f"{what}\\n".encode())  # lines of several threads stay whole

def until_jobs_run(tag, count):
    while len(spark.sparkContext.statusTracker().getJobIdsForGroup(tag)) < count:
        threading.Event().wait(0.05)

def kill():
    spark.sparkContext._gateway.proc.send_signal(signal.SIGKILL)

# stopped by other code
spark = session()
plan = ArrowPartitions(spark.range(0, 4, 1, 2).mapInArrow(sleeping, "id long"))
plan.plan("t")
running = ThreadPoolExecutor(1).submit(lost, "stopped", lambda: list(plan.fetch(1, "t")))
until_jobs_run("t", 1)
spark.stop()
running.result(timeout=10)
lost("stopped", lambda: list(plan.fetch(0, "t")))

# killed a moment ago
spark = session()
kill()
spark = session()
say(f"moment {spark.range(5).count()}")

# killed while jobs run
plans = [ArrowPartitions(spark.range(0, 4, 1, 2).mapInArrow(sleeping, "id long")),
         RowPartitions(spark.range(0, 4, 1, 2).mapInArrow(sleeping, "id long")),
         RddPartitions(spark.sparkContext.parallelize(range(4), 2).mapPartitions(sleeping))]
for plan in plans:
    plan.plan("t")
threads = ThreadPoolExecutor(3)
fetches = [threads.submit(lost, "jobs", lambda plan=plan: list(plan.fetch(0, "t")))
           for plan in plans]
until_jobs_run("t", 3)
kill()
for outcome in fetches:
    outcome.result(timeout=5)
plans[0].cancel("t")
lost("jobs", lambda: plans[0].plan("again"))
spark = session()
say(f"new {spark.range(5).count()}")

# killed while batches arrive
plan = ArrowPartitions(spark.range(0, 3_000_000, 1, 1))
plan.plan("t")
batches = plan.fetch(0, "t")
next(batches)
kill()
lost("batches", lambda: list(batches))

# killed within the block of the session
def block():
    global spark
    with session() as spark:
        plan = ArrowPartitions(spark.range(0, 4, 1, 2).mapInArrow(sleeping, "id long"))
        plan.plan("b")
        dead = threading.Thread(target=lambda: (until_jobs_run("b", 1), kill()))
        dead.start()
        list(plan.fetch(0, "b"))

lost("block", block)
"""


@pytest.fixture(scope="module")
def said() -> list[str]:
    return output_of(PROGRAM)


def told(said: list[str], what: str) -> list[str]:
    return [line.removeprefix(f"{what} ") for line in said if line.startswith(f"{what} ")]


def test_a_killed_jvm_ends_every_fetch_and_a_new_session_can_start(said: list[str]) -> None:
    lost = told(said, "jobs")
    assert len(lost) == 4
    for line in lost:
        assert line.startswith("LOST Spark's JVM (process "), line
        assert "was killed by SIGKILL during p" in line
        assert line.endswith("JVM_GONE")
    assert told(said, "new") == ["5"]


def test_a_jvm_killed_while_batches_arrive_is_never_a_short_result(said: list[str]) -> None:
    (line,) = told(said, "batches")
    assert line.startswith("LOST")
    assert "was killed by SIGKILL during partition 0" in line


def test_an_error_of_a_killed_jvm_leaves_the_block_of_its_session_as_it_is(said: list[str]) -> None:
    (line,) = told(said, "block")
    assert line.startswith("LOST")
    assert line.endswith("JVM_GONE")


def test_a_new_session_starts_while_the_killed_jvm_is_still_on_its_way_out(
    said: list[str],
) -> None:
    assert told(said, "moment") == ["5"]


def test_a_session_stopped_by_other_code_is_lost_and_says_so(said: list[str]) -> None:
    stopped = "LOST the Spark session was stopped by other code during"
    assert told(said, "stopped") == [
        f"{stopped} partition 1 CONTEXT_STOPPED",
        f"{stopped} partition 0 CONTEXT_STOPPED",
    ]
