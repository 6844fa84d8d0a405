"""The command ``actors-rs``: runs, explains or draws a graph, tests a Publisher, reads a ledger.

The exit codes are in ``exit_codes``. A reader of the output that goes away, as ``head`` does,
changes none of them.
"""

from __future__ import annotations

import argparse
import logging
import os
import re
import sys
import traceback
from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from actors_rs import ActorSystem, Graph, Run, __version__
from actors_rs.delivery.command import add_status, status_lines
from actors_rs.delivery.reporting import dead_letters_said
from actors_rs.engine.run.interrupt import StopSignals
from actors_rs.error_codes import EXPLANATIONS, explained
from actors_rs.errors import ActorsRsError, InvalidArgumentError, ReadError, RunCancelled, UserError
from actors_rs.exit_codes import BAD_TARGET, FAILED, GAVE_UP, INTERRUPTED, TABLE, code_after
from actors_rs.observability.given_up import GivenUp
from actors_rs.observability.json_lines import JsonLines
from actors_rs.observability.live import live_table, terminal_console
from actors_rs.observability.web.command import (
    add_report,
    add_web_options,
    check_web,
    web_page,
    write_report,
)
from actors_rs.printed import printed
from actors_rs.runtime.system.command import add_system_options
from actors_rs.targets import came, load_graph, module_and_name
from actors_rs.texts import counted, repr_of, text_of

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["main"]

FORMATS = {".svg": "svg", ".dot": "dot", ".mmd": "mermaid"}
CODE = re.compile(r"ARS-\d+", re.IGNORECASE)
SHUTDOWN_SECONDS = 3.0  # the run has ended by then, or was given up

EXAMPLES = """\
examples:
  actors-rs run orders.jobs:nightly             run the graph 'nightly' of module orders.jobs
  actors-rs run jobs/nightly.py:graph           run the graph 'graph' of a file
  actors-rs run orders.jobs:make_graph --live   run the graph that make_graph() returns, and show
                                                a table of its stages
  actors-rs run orders.jobs:nightly --web       run it, and print the address of its page
  actors-rs run jobs.py:load --memory-limit 1GiB   run it, and limit the bytes of its links
  actors-rs explain orders.jobs:nightly         print how a graph would run
  actors-rs explain ARS-017                     print what an error code means
  actors-rs draw orders.jobs:nightly -o n.svg   draw a graph
  actors-rs tck orders.feeds:feed               test the Publisher that feed(elements) returns
  actors-rs status night.ledger                 print how far a run over Spark's partitions is
  actors-rs report run.json                     make an HTML file of a saved run
"""

ENDS = f"""\
Ctrl-C stops the sources and delivers the elements in flight; a second Ctrl-C cancels the run.
In both cases, the files that were written are complete.

{TABLE}"""

PARAMETERS = """\
The command passes no parameters to the graph: let the function that returns it read them from the
environment, as in
  DAY=2026-11-27 actors-rs run orders.jobs:nightly      with os.environ["DAY"] in nightly()
A program with argparse that calls graph.run() can have options of its own.
"""

TARGET = (
    "the graph, as package.module:name or path/to/file.py:name; the name is that of a Graph, or of "
    "a function without arguments that returns one"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks for; returns the exit code."""
    options = _parser().parse_args(arguments)
    if options.command == "tck":
        return _test(options)
    if options.command == "status":
        return _tell_status(options)
    if options.command == "report":
        return _report(options)
    if options.command == "explain" and CODE.fullmatch(options.target):
        return _explain_code(options.target)
    try:
        graph = load_graph(options.target)
        if options.command in ("explain", "draw"):
            return _describe(graph, options)
        check_web(options)
        console = terminal_console() if options.live else None
    except KeyboardInterrupt:
        return _complain("stopped before anything was started", INTERRUPTED)
    except UserError as error:
        return _complain(error, BAD_TARGET, options.verbose)
    try:
        return _run(graph, options, console)
    except KeyboardInterrupt:
        return _complain("stopped without waiting for the run", INTERRUPTED)
    except BaseException as error:  # an exit of the user's code too: its code is not ours
        return _complain(error, FAILED, options.verbose)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="actors-rs",
        description="Run, explain and draw graphs of actors_rs, test Publishers, read ledgers.",
        epilog=f"{EXAMPLES}\n{ENDS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"actors-rs {__version__}")
    commands = parser.add_subparsers(
        title="commands", dest="command", required=True, metavar="COMMAND"
    )
    for add in (_add_run, _add_explain, _add_draw, _add_tck, add_status, add_report):
        add(commands).add_argument(
            "--verbose", action="store_true", help="print tracebacks of errors (default: one line)"
        )
    return parser


def _add_run(commands: Any) -> argparse.ArgumentParser:
    run: argparse.ArgumentParser = commands.add_parser(
        "run",
        help="run a graph and print its result",
        description="Run a graph, and print the result of each sink on standard output.",
        epilog=f"{PARAMETERS}\n{ENDS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument("target", metavar="TARGET", help=TARGET)
    run.add_argument(
        "--live",
        action="store_true",
        help="show a table of the stages; without a terminal, log a line every 5 s (default: off)",
    )
    add_web_options(run)
    run.add_argument(
        "--log-json",
        action="store_true",
        help="log one JSON object a line on standard error (default: plain text)",
    )
    add_system_options(run)
    return run


def _add_explain(commands: Any) -> argparse.ArgumentParser:
    explain: argparse.ArgumentParser = commands.add_parser(
        "explain",
        help="print what an error code means, or how a graph would run",
        description="Print what an error code means, or how a graph would run: its actors, the "
        "elements it holds at most, its waits and its failure policies. Nothing is run.",
    )
    explain.add_argument("target", metavar="TARGET", help=f"a code such as ARS-017, or {TARGET}")
    return explain


def _add_draw(commands: Any) -> argparse.ArgumentParser:
    draw: argparse.ArgumentParser = commands.add_parser(
        "draw",
        help="draw a graph as SVG, Graphviz or Mermaid",
        description="Draw a graph. Nothing is run.",
    )
    draw.add_argument("target", metavar="TARGET", help=TARGET)
    draw.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the file to write, whose suffix is the format: .svg, .dot for Graphviz or .mmd for "
        "Mermaid (default: Mermaid on standard output)",
    )
    return draw


def _add_tck(commands: Any) -> argparse.ArgumentParser:
    kit: argparse.ArgumentParser = commands.add_parser(
        "tck",
        help="test a Publisher against the rules of Reactive Streams",
        description="Run the conformance kit on a Publisher, and print the rules that it keeps and "
        "breaks, and those that were skipped. The exit code is 1 if it breaks one.",
    )
    kit.add_argument(
        "target",
        metavar="TARGET",
        help="the Publisher, as package.module:name or path/to/file.py:name; the name is that of a "
        "function of the number of elements that returns a Publisher, or of a "
        "PublisherVerification",
    )
    return kit


def _test(options: argparse.Namespace) -> int:
    from actors_rs.testing.tck.report import publisher_verification, report_of
    from actors_rs.testing.tck.runner import run_verification

    target = options.target
    try:
        module, name = module_and_name(target, "factory")
        try:
            found: object = reduce(getattr, name.split("."), module)
        except AttributeError:
            raise InvalidArgumentError(f"expected {target} to exist, there is no {name}") from None
        report = report_of(run_verification(publisher_verification(found, target)))
    except KeyboardInterrupt:
        return _complain("stopped before all rules were tested", INTERRUPTED)
    except (UserError, SystemExit) as error:
        return _complain(error, BAD_TARGET, options.verbose)
    return _tell(report.lines(), FAILED if report.broken else 0)


def _report(options: argparse.Namespace) -> int:
    try:
        return _tell([write_report(options)], 0)
    except UserError as error:
        return _complain(error, BAD_TARGET, options.verbose)


def _tell_status(options: argparse.Namespace) -> int:
    try:
        return _tell(status_lines(options), 0)
    except (UserError, ReadError) as error:
        return _complain(error, BAD_TARGET, options.verbose)


def _run(graph: Graph[Any], options: argparse.Namespace, console: Console | None) -> int:
    _set_up_logging(options.log_json)
    logging.getLogger("actors_rs.ledger").setLevel(logging.INFO)  # that nothing is left to do
    if options.live and console is None:
        logging.getLogger("actors_rs.live").setLevel(logging.INFO)
    with StopSignals() as stop:
        try:
            with (
                ActorSystem(
                    workers=options.workers,
                    memory_limit=options.memory_limit,
                    shutdown_timeout=SHUTDOWN_SECONDS,
                ) as system,
                web_page(system, options, stop),
            ):
                given_up = GivenUp(system)
                run: Run[Any] = system.start(graph, name=options.target.rpartition(":")[2])
                with live_table(run, console=console) if options.live else nullcontext():
                    try:
                        result = stop.result_or_drain(run)
                    except ActorsRsError as error:
                        committed = _committed_of(run)
                        code = code_after(error, has_ledger=committed is not None)
                        if code == FAILED:
                            raise
                        _complain(error, code, options.verbose)
                        return _complain(_advice(committed), code)
                lost = sum(one.details.get("dead_lettered", 0) for one in run.snapshot().stages)
                code = stop.exit_code
        except RunCancelled as error:
            return _complain(error, stop.exit_code or FAILED, options.verbose)
    code = _tell(printed(graph, result), code if options.web_keep else stop.exit_code)
    if said := dead_letters_said(lost):
        _complain(said, code)
    return _complain(said, code or GAVE_UP) if (said := given_up.said()) else code


def _committed_of(run: Run[Any]) -> int | None:
    """The committed partitions in its ledger, 0 if it has not read them yet; None without one."""
    found = [one.details for one in run.snapshot().stages if "skipped" in one.details]
    return sum(one["committed"] for one in found) if found else None


def _advice(committed: int | None) -> str:
    has = counted(committed, "committed partition") if committed else "what is committed"
    return f"start the same command again: the ledger has {has}, which it skips"


def _set_up_logging(as_json: bool) -> None:
    if not as_json:
        logging.basicConfig(format="%(message)s")  # nothing, if the user's module has set it up
        return
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], force=True)
    logging.getLogger("actors_rs.events").setLevel(logging.INFO)


def _explain_code(code: str) -> int:
    if (text := explained(code)) is None:
        last = max(EXPLANATIONS)
        return _complain(f"expected a code from ARS-001 to {last}, got {code}", BAD_TARGET)
    return _tell(text.splitlines(), 0)


def _describe(graph: Graph[Any], options: argparse.Namespace) -> int:
    if options.command == "explain":
        return _tell([graph.explain()], 0)
    if options.output is None:
        return _tell([graph.draw()], 0)
    path = Path(options.output)
    if (format := FORMATS.get(path.suffix)) is None:
        raise InvalidArgumentError(f"expected a file that ends in {', '.join(FORMATS)}, got {path}")
    try:
        path.write_text(graph.draw(format), encoding="utf-8")
    except OSError as error:
        return _complain(f"{path} could not be written: {text_of(error)}", FAILED)
    return 0


def _tell(lines: Iterable[str], code: int) -> int:
    """Print ``lines``, the result; returns ``code``, or ``FAILED`` if they cannot be written."""
    try:
        _print(lines, sys.stdout)
    except OSError as error:
        return _complain(f"the result could not be written: {text_of(error)}", FAILED)
    return code


def _complain(what: object, code: int, verbose: bool = False) -> int:
    first, *_ = _said_of(what).splitlines() or [repr_of(what)]
    said = [f"actors-rs: {first}{_code(what)}"]
    if verbose and isinstance(what, BaseException):
        said = ["".join(traceback.format_exception(what)).rstrip("\n"), *said]
    with suppress(OSError):  # no other reader is left
        _print(said, sys.stderr)
        _print((), sys.stdout)  # the output of the user's own code
    return code


def _code(what: object) -> str:
    """The code of an error that has more to explain than a wrong word on the command line."""
    if isinstance(what, InvalidArgumentError | RunCancelled) or not isinstance(what, ActorsRsError):
        return ""
    return f" [{what.code}]" if what.code else ""


def _said_of(what: object) -> str:
    if isinstance(what, BaseException) and not isinstance(what, Exception):
        return f"expected a result or an error, {came(what)}"
    return text_of(what)


def _print(lines: Iterable[str], stream: TextIO | None) -> None:
    """Write ``lines`` out, with escapes for what the encoding lacks.

    When the reader has gone, the rest is for nobody. Raises ``OSError`` for what else goes wrong.
    """
    if stream is None:  # the process was started without it
        return
    try:
        for line in lines:
            _print_line(line, stream)
        stream.flush()
    except OSError as error:
        _discard(stream)
        if not isinstance(error, BrokenPipeError):
            raise


def _print_line(line: str, stream: TextIO) -> None:
    try:
        print(line, file=stream, flush=True)
    except UnicodeEncodeError:
        encoding = stream.encoding
        escaped = line.encode(encoding, "backslashreplace").decode(encoding)
        print(escaped, file=stream, flush=True)


def _discard(stream: TextIO) -> None:
    """Send what is written to ``stream`` nowhere: its buffer is flushed when the process ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
