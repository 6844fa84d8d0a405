"""Runs and systems in a notebook: a drawing that follows them until they end.

A cell whose last value is a ``Run`` or an ``ActorSystem`` shows it. While a run goes on, a
new drawing replaces the old one twice a second. The last one shows the ended run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

from actors_rs.observability.live import Ticker, shown_or_logged
from actors_rs.runtime._primitives import Event, Thread
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.engine.run.run import Run
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["bundle_of_system", "in_notebook", "show_run", "show_system", "updated_cell"]

SECONDS = 0.5
"""Between two drawings."""


def show_run(run: Run[Any]) -> None:
    """Display ``run`` in the cell, and update it until the run has ended. Returns at once."""
    over = Event()
    _follow(run._repr_mimebundle_, over)
    run.when_ended(over.set)


def show_system(system: ActorSystem) -> None:
    """Display the runs of ``system``, and update them until none goes on. Returns at once."""
    over = Event()

    def bundle() -> dict[str, str]:
        if not system._living_activities():
            over.set()
        return bundle_of_system(system)

    _follow(bundle, over)


def bundle_of_system(system: ActorSystem) -> dict[str, str]:
    """The drawings of all runs that go on, as HTML; ``repr`` as text."""
    text = repr_of(system)
    parts = [f"<p><code>{escape(text)}</code></p>"]
    for activity in system._living_activities():
        snapshot = activity.snapshot()  # type: ignore[attr-defined]  # runs are its activities
        title = f"{snapshot.name}: {snapshot.state}, {snapshot.seconds:.1f} s"
        parts.append(f"<p>{escape(title)}</p>{snapshot.draw('svg')}")
    return {"text/plain": text, "text/html": "\n".join(parts)}


def in_notebook() -> bool:
    """Whether the program runs in the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


@contextmanager
def updated_cell(bundle: Callable[[], dict[str, str]]) -> Iterator[None]:
    """Display ``bundle()`` in the cell, and update it while the block lasts and at its end."""
    shown = _displayed(bundle)
    try:
        with Ticker(partial(_update, shown, bundle), SECONDS):
            yield
    finally:
        shown_or_logged(partial(_update, shown, bundle))


def _displayed(bundle: Callable[[], dict[str, str]]) -> Any:
    from IPython.display import display  # the caller runs in IPython

    return display(bundle(), raw=True, display_id=True)  # type: ignore[no-untyped-call]


def _update(shown: Any, bundle: Callable[[], dict[str, str]]) -> None:
    shown.update(bundle(), raw=True)


def _follow(bundle: Callable[[], dict[str, str]], over: Event) -> None:
    update = partial(_update, _displayed(bundle), bundle)

    def follow() -> None:
        while not over.wait(SECONDS) and shown_or_logged(update):
            pass
        shown_or_logged(update)

    Thread(target=follow, name="actors-notebook", daemon=True).start()
