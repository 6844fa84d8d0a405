"""Parts of a program that loses its sessions: stopped, killed, frozen. Each begins with `START`.

Sessions that are lost together share a JVM, whose start takes longer than the tests of them.
"""

from tests.spark.jobs import SLOW_JOBS

START = (
    """
import os, signal, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from actors_rs import ActorSystem, Sink
from actors_rs.spark import SparkSource, liveness, local_session
from actors_rs.spark.failures import SparkSessionLost
from actors_rs.spark.fetching.partitions import ArrowPartitions, RddPartitions, RowPartitions
from tests.spark.master import CONF, MASTER

def session():
    return local_session(master=MASTER, short_lived=True, conf={
        **CONF, "spark.driver.memory": "512m",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "10"})

def kill():
    spark.sparkContext._gateway.proc.send_signal(signal.SIGKILL)

def say(what):
    os.write(1, f"{what}\\n".encode())  # lines of several threads stay whole

def lost(what, fetch):
    try:
        fetch()
    except SparkSessionLost as error:
        say(f"{what} LOST {error} {error.kind.name}")
    except BaseException as error:
        say(f"{what} OTHER {error!r}")

def tell(what, run):
    try:
        say(f"{what} completed {run.result(timeout=60)}")  # its jobs would take 600 s
    except Exception as error:
        say(f"{what} {type(error).__name__} {error}")

def until_jobs_run(tag, count):
    until(lambda: len(spark.sparkContext.statusTracker().getJobIdsForGroup(tag)) >= count)

def left():
    return [t.name for t in threading.enumerate() if t.name.startswith("actors")]
"""
    + SLOW_JOBS
)

STOPPED = """
spark = session()
with ActorSystem() as system:
    plan = ArrowPartitions(slow(2))
    plan.plan("t")
    fetching = ThreadPoolExecutor(1).submit(lost, "stopped", lambda: list(plan.fetch(1, "t")))
    until_jobs_run("t", 1)
    run = system.start(SparkSource.arrow(slow(8)).to(Sink.list()))
    until(lambda: jobs_running() == 1 + 2)
    later = SparkSource.rows(slow(2)).to(Sink.list())
    spark.stop()
    fetching.result(timeout=60)
    lost("stopped", lambda: list(plan.fetch(0, "t")))
    tell("stopped-run", run)
    tell("stopped-later", system.start(later))
"""

KILLED_A_MOMENT_AGO = """
spark = session()
kill()
spark = session()
say(f"moment {spark.range(5).count()}")
"""

KILLED = """
class Asking:
    def __init__(self):
        self.subscription = None
        self.got, self.ended = [], threading.Event()
    def on_subscribe(self, subscription):
        self.subscription = subscription
    def on_next(self, element):
        self.got.append(element)
    def on_error(self, error):
        self.error = error
        self.ended.set()
    def on_complete(self):
        self.on_error(EOFError())
    def result(self, timeout):
        assert self.ended.wait(timeout), "it hangs"
        raise self.error

# batches arrive
large = spark.newSession()
large.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 65536)
arriving = ArrowPartitions(large.range(0, 3_000_000, 1, 1))
arriving.plan("a")
batches = arriving.fetch(0, "a")
next(batches)
until(lambda: not jobs_running())

with ActorSystem() as system:
    # a subscriber waits, jobs and plans run
    waiting = Asking()
    system.publisher(SparkSource.arrow(spark.range(0, 100_000, 1, 2))).subscribe(waiting)
    until(lambda: waiting.subscription)
    waiting.subscription.request(1)
    until(lambda: waiting.got and not jobs_running())
    until(lambda: system.children()[0].planned[0].logic._fetches[0].demand._value == 0)
    running = system.start(SparkSource.arrow(slow(8), in_flight=1).to(Sink.list()))
    planning = system.start(SparkSource.rows(slow(2).groupBy("id").count()).to(Sink.list()))
    until(lambda: jobs_running() == 2)
    plans = [ArrowPartitions(slow(2)), RowPartitions(slow(2)),
             RddPartitions(spark.sparkContext.parallelize(range(4), 2).mapPartitions(sleeping))]
    for plan in plans:
        plan.plan("t")
    threads = ThreadPoolExecutor(3)
    fetches = [threads.submit(lost, "jobs", lambda plan=plan: list(plan.fetch(0, "t")))
               for plan in plans]
    until_jobs_run("t", 3)

    def tell_all():
        for outcome in fetches:
            outcome.result(timeout=60)
        plans[0].cancel("t")
        lost("jobs", lambda: plans[0].plan("again"))
        lost("batches", lambda: list(batches))
        tell("killed-running", running)
        tell("killed-planning", planning)
        tell("killed-waiting", waiting)

    def block():
        with session() as same:
            assert same is spark
            plan = ArrowPartitions(slow(2))
            plan.plan("b")
            threading.Thread(target=lambda: (until_jobs_run("b", 1), kill())).start()
            try:
                list(plan.fetch(0, "b"))
            finally:
                tell_all()  # how the JVM ended is forgotten with it, at the end of the block

    lost("block", block)
say(f"killed-threads {left()}")
spark = session()
say(f"new {spark.range(5).count()}")
"""

TO_BE_FROZEN = """
MOST = float(sys.argv[1])  # seconds
if len(sys.argv) > 2:
    liveness.STOPPED_PATIENCE = float(sys.argv[2])
    liveness.GREET_EVERY = 0.2

def nobody_watches():
    return "spark-liveness" not in [thread.name for thread in threading.enumerate()]

def in_time(began):
    return "in time" if time.monotonic() - began < MOST else "late"

def tell_in_time(what, run, began):
    try:
        say(f"{what} completed {run.result(timeout=2 * MOST)}")
    except Exception as error:
        say(f"{what} {in_time(began)} {type(error).__name__} {error}")

spark = session()
gateway = spark.sparkContext._gateway
process = gateway.proc
"""

FROZEN_WORKER = """
def children_of(parents):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = open(f"/proc/{name}/stat").read()
        except OSError:
            continue
        if int(stat.rpartition(")")[2].split()[1]) in parents:
            found.append(int(name))
    return found

def workers():
    return children_of(children_of([process.pid]))

with ActorSystem() as system:
    running = system.start(SparkSource.arrow(slow(2), in_flight=1).to(Sink.list()))
    until(lambda: jobs_running() == 1 and workers())
    frozen = workers()
    for worker in frozen:
        os.kill(worker, signal.SIGSTOP)
    began = time.monotonic()
    running.cancel()
    tell_in_time("worker-cancelled", running, began)
    system.shutdown(timeout=2 * MOST)
    say(f"worker-shutdown {in_time(began)}")
    until(lambda: jobs_running() == 0)
for worker in set(frozen) & set(workers()):  # a number that is free again may be anybody's
    os.kill(worker, signal.SIGKILL)
"""

JVM_OF_OTHERS = """
until(nobody_watches)
gateway.proc = None
system = ActorSystem()
running = system.start(SparkSource.arrow(slow(8), in_flight=1).to(Sink.list()))
until(lambda: jobs_running() == 1)
began = time.monotonic()
process.send_signal(signal.SIGSTOP)
tell_in_time("others-running", running, began)
began = time.monotonic()
system.shutdown(timeout=1)
say(f"others-shutdown {in_time(began)}")
say(f"others-alive {process.poll() is None}")
process.send_signal(signal.SIGCONT)
until(lambda: jobs_running() == 0 and nobody_watches())
gateway.proc = process
"""

FROZEN_JVM = """
with ActorSystem() as system:
    running = system.start(SparkSource.arrow(slow(8), in_flight=1).to(Sink.list()))
    planning = system.start(SparkSource.rows(slow(2).groupBy("id").count()).to(Sink.list()))
    until(lambda: jobs_running() == 2)
    cancelled = system.start(SparkSource.arrow(slow(2), in_flight=1).to(Sink.list()))
    until(lambda: jobs_running() == 3)
    later = SparkSource.arrow(slow(2)).to(Sink.list())
    began = time.monotonic()
    process.send_signal(signal.SIGSTOP)
    cancelled.cancel()
    tell_in_time("frozen-running", running, began)
    tell_in_time("frozen-planning", planning, began)
    tell_in_time("frozen-cancelled", cancelled, began)
    tell_in_time("frozen-later", system.start(later), began)
until(lambda: not left())  # a call that was given up after its grace ends with the JVM
say(f"frozen-threads {left()}")
"""

FROZEN = r"in time SparkSessionLost Spark's JVM( \(process \d+\))? is frozen: it did not answer"
"""What each run on a frozen JVM says."""
