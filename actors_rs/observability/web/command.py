"""The page in the command line: the options of ``actors-rs run``, and ``actors-rs report``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from actors_rs.engine.run.interrupt import POLL_SECONDS, StopSignals
from actors_rs.errors import InvalidArgumentError
from actors_rs.observability.web.options import check_options
from actors_rs.observability.web.report import ADDRESS, report_html, report_of_json
from actors_rs.observability.web.serving import serve
from actors_rs.runtime._primitives import Event
from actors_rs.texts import repr_of, text_of

if TYPE_CHECKING:
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["add_report", "add_web_options", "check_web", "web_page", "write_report"]


def add_web_options(run: argparse.ArgumentParser) -> None:
    """Add what ``actors-rs run`` knows of the page."""
    run.add_argument(
        "--web",
        nargs="?",
        type=_port,
        const=0,
        metavar="PORT",
        help="serve a page that shows the run on this port from 1 to 65535, by default a free one, "
        "and print its address (default: no page)",
    )
    run.add_argument(
        "--web-host",
        default="127.0.0.1",
        metavar="HOST",
        help="the address that the page listens on (default: %(default)s, which other machines "
        "cannot reach); other addresses need --web-token",
    )
    run.add_argument(
        "--web-token",
        metavar="TOKEN",
        help="a secret that a browser needs to read the page; the printed address contains it "
        "(default: none)",
    )
    run.add_argument(
        "--web-keep",
        action="store_true",
        help="serve the page after the run as well, until Ctrl-C (default: until the run ends)",
    )


def check_web(options: argparse.Namespace) -> None:
    """Raise ``InvalidArgumentError`` for options of the page that cannot be served."""
    if options.web is not None:
        check_options(options.web_host, options.web, options.web_token)
    elif options.web_token is not None or options.web_keep or options.web_host != "127.0.0.1":
        raise InvalidArgumentError(
            "--web-host, --web-token and --web-keep are about the page: write --web as well"
        )


@contextmanager
def web_page(system: ActorSystem, options: argparse.Namespace, stop: StopSignals) -> Iterator[None]:
    """Serve the page of ``system`` if ``options`` say so; with ``--web-keep`` until a signal."""
    if options.web is None:
        yield
        return
    with serve(system, options.web_host, options.web, options.web_token) as page:
        _tell(f"the page: {page.url}")
        try:
            yield
        finally:
            if options.web_keep and not stop.received:
                _tell(f"the run has ended, its page stays until Ctrl-C: {page.url}")
                pause = Event()
                while not stop.received:
                    pause.wait(POLL_SECONDS)


def add_report(commands: Any) -> argparse.ArgumentParser:
    """Add ``actors-rs report``."""
    report: argparse.ArgumentParser = commands.add_parser(
        "report",
        help="make an HTML file of a saved run",
        description="Make an HTML file of a run that was saved as JSON. It needs no server and no "
        "network.",
    )
    report.add_argument(
        "run",
        metavar="RUN.json",
        help=f"the saved run: {ADDRESS} of its page, or json.dumps(run.snapshot().as_dict())",
    )
    report.add_argument(
        "-o",
        "--out",
        metavar="FILE",
        help="the HTML file to write (default: RUN.html beside RUN.json)",
    )
    return report


def write_report(options: argparse.Namespace) -> str:
    """Write the report; a line for its user. Raises ``InvalidArgumentError`` for another file."""
    source = Path(options.run)
    target = Path(options.out) if options.out else source.with_suffix(".html")
    try:
        text = source.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgumentError(
            f"expected a file with a run as JSON, got {text_of(error)}"
        ) from None
    html = report_html(report_of_json(text))
    try:
        target.write_text(html, "utf-8")
    except OSError as error:
        raise InvalidArgumentError(f"{target} could not be written: {text_of(error)}") from None
    return f"{target}: open it in a browser"


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, got {repr_of(text)}")
    return int(text)


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
