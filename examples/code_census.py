"""A census of Python source code: Spark parses, actors carry the rows, storage gets them.

One row per function (size, arguments, cyclomatic complexity, ...) ends up in a Parquet data
set, sums per package in SQLite, and files that cannot be read or parsed in a JSON lines
file. Exit codes: 0 done, 1 the run failed, 2 bad input, 130 stopped by Ctrl-C.
"""

import argparse
import logging
import os
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from actors_rs import ActorSystem
from actors_rs.engine.run.interrupt import StopSignals
from actors_rs.errors import ActorsRsError, RunCancelled, UserError
from actors_rs.observability.live import live_table, terminal_console
from actors_rs.observability.web import serve
from actors_rs.spark import SparkSource, local_session
from census import BadInputError
from census.outputs import Outputs
from census.paths import SourceFile, list_files, standard_library

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130

EXAMPLES = """\
examples:
  code_census.py --out census                      the standard library, tests included
  code_census.py src tests --out census            two directories of one's own
  code_census.py src --out census --overwrite      once more, replacing the earlier outputs
  code_census.py src --out census --in-flight 8    more partitions computed at a time
  code_census.py /shared/src --out census --master spark://host:7077
                                                   on a cluster that sees the same files
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the census that the command line asks for; returns the exit code."""
    options = _options(arguments)
    outputs = Outputs(Path(options.out))
    try:
        files = list_files(options.paths or [standard_library()])
        outputs.check(options.overwrite)
        if terminal_console() is None:
            _log_to_output()
        return _census(files, outputs, options)
    except KeyboardInterrupt:
        return _complain("stopped before the census was complete", INTERRUPTED)
    except (BadInputError, UserError) as error:
        return _complain(error, BAD_INPUT)
    except (ActorsRsError, OSError) as error:
        return _complain(error, FAILED)
    except Exception as error:  # Spark's own, between two steps of the library
        return _complain(f"{type(error).__name__}: {error}", FAILED)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="code_census.py",
        description="Measure every function of the Python source below PATH.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="directory or .py file (default: the standard library of this interpreter)",
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="where the outputs go")
    parser.add_argument(
        "--in-flight",
        type=_partitions,
        default=os.cpu_count() or 2,
        metavar="N",
        help="partitions Spark computes at a time (default: one per core, %(default)s)",
    )
    parser.add_argument(
        "--master",
        default="local[*]",
        metavar="URL",
        help="the Spark master (default: %(default)s, this machine)",
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace the outputs of an earlier census in DIR"
    )
    parser.add_argument(
        "--web", action="store_true", help="show the run in a browser, until Ctrl-C; prints where"
    )
    return parser.parse_args(arguments)


def _partitions(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number of partitions from 1 up, got {text!r}")
    return int(text)


def _complain(what: object, code: int) -> int:
    first, *_ = str(what).splitlines() or [repr(what)]
    print(f"code_census.py: {first}", file=sys.stderr)
    return code


def _census(files: list[SourceFile], outputs: Outputs, options: argparse.Namespace) -> int:
    started = time.monotonic()
    if options.web:
        print("starting Spark; the page comes when it is up", flush=True)
    spark = _session(options.master)
    try:
        return _run(spark, files, outputs, options, started)
    finally:
        with suppress(Exception):  # a dead JVM cannot be stopped; the run has failed with the cause
            spark.stop()


def _session(master: str) -> "SparkSession":
    try:
        return local_session("code census", master=master, short_lived=True, conf=_network(master))
    except UserError:
        raise  # it says what is missing on this machine
    except Exception as error:
        raise BadInputError(
            f"expected a Spark master that answers, {master} gave {type(error).__name__}"
        ) from error


def _network(master: str) -> dict[str, object]:
    """A local session speaks to itself alone; executors elsewhere must reach this machine."""
    if master.startswith("local"):
        return {}
    return {"spark.driver.host": socket.getfqdn(), "spark.driver.bindAddress": "0.0.0.0"}


def _run(
    spark: "SparkSession",
    files: list[SourceFile],
    outputs: Outputs,
    options: argparse.Namespace,
    started: float,
) -> int:
    # These need pyarrow and pyspark, and local_session says it better when one is missing.
    from census.graph import census_graph
    from census.job import census_rows
    from census.summary import summarize

    rows = census_rows(spark, files)
    source = SparkSource.arrow(rows, in_flight=options.in_flight, ordered=False)
    with StopSignals() as stop:
        try:
            outputs.open()
            with ActorSystem() as system, _page(system, stop) if options.web else nullcontext():
                run = system.start(census_graph(source, outputs))
                with live_table(run):
                    parquet, _, failures = stop.result_or_drain(run)
                # A later Ctrl-C ends the page, not the run.
                code, seconds = stop.exit_code, time.monotonic() - started
        except RunCancelled:
            return _complain("cancelled; only complete files stay", stop.exit_code or FAILED)
        for line in summarize(parquet, failures, outputs, len(files), seconds):
            print(line)
    return code


@contextmanager
def _page(system: ActorSystem, stop: StopSignals) -> Iterator[None]:
    """A page of the system, which stays after the run until it is interrupted."""
    with serve(system) as page:
        print(f"the page: {page.url}", flush=True)
        yield
        print(f"the run has ended, the page stays until Ctrl-C: {page.url}", flush=True)
        while not stop.received:
            time.sleep(0.1)


def _log_to_output() -> None:
    """Show the progress lines that come where there is no terminal for a live table."""
    live = logging.getLogger("actors_rs.live")
    live.setLevel(logging.INFO)
    live.addHandler(logging.StreamHandler(sys.stdout))
    live.propagate = False


if __name__ == "__main__":
    sys.exit(main())
