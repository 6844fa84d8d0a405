"""``live_table``: the state of a run, while it runs.

On a terminal it is a table that is painted over again and again, elsewhere a log line now and
then. Either way it only reads snapshots: it never holds the run up and never ends it.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

from actors_rs.engine.run.run import Run
from actors_rs.errors import ArgumentTypeError, InvalidArgumentError, MissingExtraError
from actors_rs.observability.log_lines import log_line
from actors_rs.observability.table import History
from actors_rs.runtime._primitives import Event, Thread
from actors_rs.runtime.settings import check_kind, is_finite, is_number, shown
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["live_table", "terminal_console"]

logger = logging.getLogger("actors_rs.live")


@contextmanager
def live_table(
    run: Run[Any],
    *,
    console: Console | None = None,
    refresh_per_second: float = 4,
    log_every: float = 5.0,
) -> Iterator[None]:
    """Show ``run`` while the ``with`` block lasts, and how it stands when the block is left.

    On ``console``, a ``rich.console.Console`` (default: standard output), if that is a terminal.
    Otherwise, or on a terminal that cannot move its cursor (``TERM=dumb``), one line goes to the
    logger ``actors_rs.live`` at level ``INFO`` every ``log_every`` seconds and one at the end. That
    needs no ``rich``. Configure ``logging`` to see those lines.

    Raises ``InvalidArgumentError`` if ``run`` is no run or a rate is not above 0. Raises
    ``MissingExtraError`` on a terminal without ``rich``. No thread is left when the block is left.
    """
    check_kind(run, "snapshot", "live_table needs a Run")
    _above_zero("refresh_per_second", refresh_per_second)
    _above_zero("log_every", log_every)
    screen = terminal_console() if console is None else console
    if screen is not None and _can_be_painted(screen):
        with _painted(run, screen, 1 / refresh_per_second):
            yield
    else:
        with _logged(run, log_every):
            yield


def terminal_console() -> Console | None:
    """The console to paint on, ``None`` if standard output is no terminal that can be painted.

    Raises ``MissingExtraError`` if it is one and ``rich`` is missing.
    """
    if not sys.stdout.isatty():
        return None
    try:
        from rich.console import Console
    except ImportError:
        raise MissingExtraError(
            "a live table in the terminal needs the rich library, which is not installed: "
            "pip install 'actors-rs[live]'"
        ) from None
    console = Console()
    return console if _can_be_painted(console) else None


def _can_be_painted(console: Console) -> bool:
    return console.is_terminal and not console.is_dumb_terminal


@contextmanager
def _painted(run: Run[Any], console: Console, seconds: float) -> Iterator[None]:
    from rich.live import Live

    from actors_rs.observability.rendering import rendered

    history = History()

    def picture() -> RenderableType:
        now = run.snapshot()
        return rendered(now, history.before(now))

    # Not Live's own refresh thread: stopping Live tells that one to stop, but does not wait for it.
    live = Live(console=console, get_renderable=picture, auto_refresh=False)
    try:
        live.start(refresh=True)
        with Ticker(live.refresh, seconds):
            yield
    finally:
        shown_or_logged(live.stop)


@contextmanager
def _logged(run: Run[Any], seconds: float) -> Iterator[None]:
    history = History()

    def line() -> None:
        now = run.snapshot()
        logger.info(log_line(now, history.before(now)), extra={"run": now.name})

    try:
        with Ticker(line, seconds):
            yield
    finally:
        shown_or_logged(line)


def shown_or_logged(picture: Callable[[], None]) -> bool:
    """Whether that succeeded; if not, it is nothing to the run, nor to who looks at it."""
    try:
        picture()
    except Exception:
        with suppress(Exception):  # it may be a handler of the user's that raised
            logger.exception("the display of the run ended early; the run goes on")
        return False
    return True


class Ticker:
    """Calls ``tick`` every ``seconds`` on a thread of its own, until it is left."""

    def __init__(self, tick: Callable[[], None], seconds: float) -> None:
        self._tick = tick
        self._seconds = seconds
        self._over = Event()
        self._thread = Thread(target=self._run, name="actors-live", daemon=True)

    def __enter__(self) -> None:
        try:
            self._thread.start()
        except BaseException:  # Ctrl-C: it may have begun
            self._over.set()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._seconds) and shown_or_logged(self._tick):
            pass


def _above_zero(name: str, number: Any) -> None:
    if not is_number(number):
        raise ArgumentTypeError(f"{name} must be a number, got {repr_of(number)}")
    if not number > 0:
        raise InvalidArgumentError(f"{name} must be above 0, got {shown(number)}")
    if isinstance(number, int) and not is_finite(number):
        raise InvalidArgumentError(f"{name} must be a finite number, got {shown(number)}")
