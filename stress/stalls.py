"""What is written down when a run stands still, or fails: all there is to know, in one file."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from actors_rs import ActorSystem
from actors_rs.engine.island import Island
from stress.yields import Flight

__all__ = ["FOLDER", "dump", "written_down"]

FOLDER = Path("build", "stress")


@contextmanager
def written_down(system: ActorSystem, name: str, flight: Flight) -> Iterator[None]:
    """If this block fails, a file says how things stand; a note of the failure says where it is.

    To be the innermost block: behind that of the system nothing stands any more.
    """
    try:
        yield
    except BaseException as error:
        error.add_note(f"how things stood: {dump(system, name, flight)}")
        raise


def dump(system: ActorSystem, name: str, flight: Flight) -> Path:
    """Write the stacks, mailboxes, demand and the last signals to a file; returns its path."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in name)[:100]
    path = FOLDER / f"stall-{safe}-{os.getpid()}.txt"
    lines = [name, "", repr(system.statistics()), *flight.too_full, ""]
    for actor in system.children():
        lines += _actor(actor)
    lines += ["", f"the last {len(flight.signals)} signals, oldest first:"]
    for at, thread, owner, what in tuple(flight.signals):
        lines.append(f"  {at:.6f} {thread} -> '{owner}': {what}")
    lines += ["", *stacks()]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def _actor(actor: Any) -> list[str]:
    box = actor.actor_inbox
    lines = [f"{actor}: {box.statistics()}, idle={box.idle}, halted={box.halted}"]
    for stage in actor.planned if isinstance(actor, Island) else ():
        for inlet in tuple(stage.logic.inlets):
            lines.append(
                f"    inlet {inlet.name} from {inlet.feeder}.{inlet.feeder_outlet}:"
                f" outstanding={inlet.outstanding} buffered={inlet.buffered}"
                f" taken={inlet.count} done={inlet.done}"
                f" cancelled={inlet.cancelled} window={inlet.window}"
            )
        for outlet in tuple(stage.logic.outlets):
            lines.append(
                f"    outlet {outlet.name}: demand={outlet.demand} given={outlet.count}"
                f" closed={outlet.closed} cancelled={outlet.cancelled}"
            )
        lines.append(f"    {stage.logic.details()}")
    return lines


def stacks() -> list[str]:
    """Where each thread is."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    lines: list[str] = []
    for ident, frame in sys._current_frames().items():
        lines.append(f"thread {names.get(ident, ident)}:")
        lines += [line.rstrip() for line in traceback.format_stack(frame)]
    return lines
