"""A Spark session on this machine, set up for partitions pulled on demand.

Nobody has to use it: every session will do. This one has fair scheduling between jobs, large Arrow
batches, no web page, quiet logs, this interpreter for its Python workers, and leaves Ctrl-C alone.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from actors_rs.errors import InvalidArgumentError
from actors_rs.graph.checks import flag
from actors_rs.runtime._primitives import Event, monotonic
from actors_rs.spark.failures import not_installed
from actors_rs.spark.fetching.driver_room import MAX_RESULT, limit_one_result
from actors_rs.spark.java import find_java_home, write_support_file
from actors_rs.spark.liveness import watch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["context_of", "local_session"]

_ENDING_SECONDS = 10.0
_LOOK_EVERY = 0.05

_FAIR_POOL = """\
<?xml version="1.0"?>
<allocations>
  <pool name="default"><schedulingMode>FAIR</schedulingMode></pool>
</allocations>
"""

# Errors of failed tasks come back as exceptions, so the log repeats nothing but real trouble.
_LOG_SETTINGS = """\
rootLogger.level = {level}
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{{HH:mm:ss}} %p %c{{1}}: %m%n%ex{{short}}
# Without a level of its own the shell's main class resets the root logger to WARN, and says so.
logger.shell.name = org.apache.spark.api.python.PythonGatewayServer
logger.shell.level = {level}
"""


def local_session(
    name: str = "actors-rs",
    *,
    master: str = "local[*]",
    short_lived: bool = False,
    log_level: str = "fatal",
    conf: Mapping[str, object] | None = None,
) -> SparkSession:
    """A Spark session tuned for pulling partitions, or the running one if there is one.

    - ``name``: the application's name in Spark's pages and logs, ``"actors-rs"`` by default.
    - ``master``: Spark's address of the cluster. The default ``"local[*]"`` runs in this machine,
      on all cores; ``"local[4]"`` uses four.
    - ``short_lived``: use only the quick compiler of the JVM, off by default. A program of a minute
      gains, a program of an hour loses.
    - ``log_level``: the level of the JVM's log on standard error, ``"fatal"`` by default.
    - ``conf``: settings of Spark, which override all settings made here.

    It is a context manager, whose end stops the session, also where the JVM has died.

    Takes 4 to 12 s. Waits up to 10 s for a session that another thread is stopping. Raises
    ``SparkUnavailable``, which says what to install, if pyspark or Java is missing. Call it from
    one thread at a time; all threads can use the session.

    A job fails if its result is more than an eighth of ``spark.driver.memory`` less 300 MiB. To
    change the limit, give ``spark.driver.maxResultSize`` in ``conf``.

    >>> from actors_rs.spark import local_session
    >>> local_session("orders", conf={"spark.sql.shuffle.partitions": 4}).range(3).count()
    3
    """
    flag(short_lived, "local_session: short_lived")
    _quieten_pyspark()
    builder = _builder()
    _choose_java()
    if master.startswith("local"):
        # Otherwise Spark takes the first `python3` on PATH, without our libraries.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {**_settings(short_lived, log_level), **(conf or {})}
    own_options = settings["spark.driver.extraJavaOptions"]
    settings["spark.driver.extraJavaOptions"] = _java_options(
        short_lived, log_level, str(own_options)
    )
    for key, value in settings.items():
        builder = builder.config(key, str(value))
    _forget_dead_jvm()
    _let_stop_end()
    with _ctrl_c_left_alone(), _no_jvm_left_behind():
        running = _is_running()
        session = builder.appName(name).master(master).getOrCreate()
    _let_jvm_die_quietly(session)
    if not running:
        session.stop = partial(_stop_or_forget, session.stop)  # type: ignore[method-assign]
        if session.sparkContext.getConf().get(MAX_RESULT) is None:
            limit_one_result(session.sparkContext)
    return session


def context_of(session: Any, what: str, *, connect: bool = False) -> Any:
    """The Spark context of ``session``; ``InvalidArgumentError`` where there is none.

    ``connect``: ``what`` takes a session of Spark Connect too, which is no matter of this function.
    """
    with suppress(Exception):  # Spark Connect has one of its own for what it lacks
        from pyspark import SparkContext

        context = session.sparkContext
        if isinstance(context, SparkContext):  # a Column has something to say by any name
            return context
    kind = f"{type(session).__module__}.{type(session).__name__}"
    if connect:
        raise InvalidArgumentError(
            f"{what}: expected a Spark session, classic or of Spark Connect, got {kind}"
        )
    raise InvalidArgumentError(
        f"{what}: expected a classic Spark session, got {kind}: it works with jobs of a "
        "SparkContext, which Spark Connect does not have: use a session of local_session or "
        "SparkSession.builder.master(...)"
    )


def _builder() -> SparkSession.Builder:
    try:
        import pyarrow  # noqa: F401
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise not_installed("Spark", error, "pyspark", "spark") from error
    return SparkSession.builder


def _quieten_pyspark() -> None:
    """Silence what pyspark says on each failed job, and about the version of pandas.

    Also what py4j logs about a call of the JVM that fails or is interrupted: the call raises.
    """
    logging.getLogger().addFilter(_is_not_of_py4j)  # once, however often it is added
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)


def _choose_java() -> None:
    home = str(find_java_home())
    if os.environ.get("JAVA_HOME") != home:
        os.environ["JAVA_HOME"] = home


def _settings(short_lived: bool, log_level: str) -> dict[str, object]:
    fair = write_support_file("fairscheduler.xml", _FAIR_POOL)
    return {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # FAIR needs a pool that is fair inside, or all jobs queue in the default one.
        "spark.scheduler.mode": "FAIR",
        # Hadoop takes it as a path: a blank of a URI, %20, would stay what it is.
        "spark.scheduler.allocation.file": f"file:///{fair.as_posix().lstrip('/')}",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        # Ten times Spark's default: fewer, larger frames on the way from the JVM.
        "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
        # A cancelled Python worker gives its slot back after 1.2 s instead of 3.
        "spark.python.task.killTimeout": "100ms",
        # A machine whose own name does not resolve can still run this.
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": "",
    }


def _java_options(short_lived: bool, log_level: str, own: str) -> str:
    settings = write_support_file("log4j2.properties", _LOG_SETTINGS.format(level=log_level))
    options = [f'"-Dlog4j2.configurationFile={settings.as_uri()}"']
    if short_lived:
        options.append("-XX:TieredStopAtLevel=1")
    return " ".join([*options, own]).strip()


def _forget_dead_jvm() -> bool:
    """Let a new JVM start after the last one was killed; pyspark keeps the dead one for ever.

    Returns whether the JVM is dead.
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    process = getattr(SparkContext._gateway, "proc", None)
    if process is None or not _has_ended(process, SparkContext._gateway):
        return False
    with suppress(Exception):
        SparkContext._gateway.shutdown()  # type: ignore[union-attr]  # it has a process, so it is
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = SparkSession._activeSession = None
    return True


def _stop_or_forget(stop: Callable[[], None]) -> None:
    """Stop the session. If the JVM is dead, forget its gateway, so that a new session can start.

    So ``SparkSessionLost`` leaves a ``with`` block, and not the error of py4j from its end.
    """
    try:
        stop()
    except Exception:
        if not _forget_dead_jvm():
            raise


def _has_ended(process: subprocess.Popen[bytes], gateway: Any) -> bool:
    """Whether the JVM has ended, or is just ending: a killed one has a few moments yet.

    One that is frozen is found to be so, and is killed.
    """
    if process.poll() is None:
        try:
            with watch(gateway):
                gateway.jvm.java.lang.System.nanoTime()
        except Exception:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_ENDING_SECONDS)
    return process.poll() is not None


def _let_stop_end() -> None:
    """Wait until the stop that another thread is within is over: a new session can begin then.

    One that nobody goes on with, since its thread was interrupted, say, is brought to its end.
    """
    from pyspark import SparkContext

    until = monotonic() + _ENDING_SECONDS
    while _is_half_stopped(SparkContext._active_spark_context):
        if monotonic() > until:
            SparkContext._active_spark_context.stop()  # type: ignore[union-attr]
            return
        Event().wait(_LOOK_EVERY)


def _is_running() -> bool:
    """Whether there is a context already, which is not ours to set."""
    from pyspark import SparkContext

    return SparkContext._active_spark_context is not None


def _is_half_stopped(context: Any) -> bool:
    """Whether ``context``, which pyspark has for the running one, is on its way out."""
    if context is None:
        return False
    spark = context._jsc  # read once: a thread that stops the context sets it to None
    return spark is None or bool(spark.sc().isStopped())


def _let_jvm_die_quietly(session: SparkSession) -> None:
    """Keep the tracebacks of pyspark's accumulator server off standard error.

    Nothing is hidden: a thread that waits for a job gets the exception.
    """
    server = getattr(session.sparkContext, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda request, client_address: None


@contextmanager
def _no_jvm_left_behind() -> Iterator[None]:
    """Kill the JVM whose start was interrupted; it would stay after the end of this process.

    It finds nobody to tell its port to, and keeps waiting. pyspark knows it within its call alone.
    """
    try:
        yield
    except BaseException as error:
        for frame, _ in walk_tb(error.__traceback__):
            process = frame.f_locals.get("proc")
            if isinstance(process, subprocess.Popen) and process.poll() is None:
                process.kill()
        raise


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    """False for what py4j logs on the root logger, which has no name to silence it by."""
    return not (record.module == "java_gateway" and "while sending command" in str(record.msg))


@contextmanager
def _ctrl_c_left_alone() -> Iterator[None]:
    """Put back the SIGINT handler that pyspark replaces when it makes a context.

    Spark's own handler cancels every job before any other handler runs, so no element in flight
    could be drained. The JVM needs no care: pyspark starts it with SIGINT ignored.
    """
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None and signal.getsignal(signal.SIGINT) is not before:
            signal.signal(signal.SIGINT, before)
