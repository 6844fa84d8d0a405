"""Figures as text, Markdown or JSON, and the machine they were measured on."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from stress.bench.measuring.harness import Figure

__all__ = ["line", "machine", "markdown"]

PACKAGES = ("pykka", "reactivex", "aiostream", "pyspark", "pyarrow")


def line(figure: Figure) -> str:
    """One figure as a line of text."""
    sides = " against ".join(side for side in (figure.ours, figure.theirs) if side)
    against = f" / {figure.against}" if figure.against else ""
    goal = f"  goal {figure.goal}: {_verdict(figure)}" if figure.goal else "  (information)"
    return f"{figure.what}{against}: {figure.shown()}{goal}{f'  [{sides}]' if sides else ''}"


def markdown(figures: Sequence[Figure]) -> str:
    """All figures as a table."""
    rows = ["| benchmark | against | ours | theirs | measured | goal | met |"]
    rows.append("|---|---|---|---|---|---|---|")
    for f in figures:
        cells = (f.what, f.against, f.ours, f.theirs, f.shown(), f.goal or "", _verdict(f))
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def machine() -> dict[str, str]:
    """The processor, the interpreter and the versions of what was compared."""
    facts = {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "switch interval": f"{sys.getswitchinterval() * 1000:g} ms",
    }
    for package in PACKAGES:
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = "not installed"
    return facts


def _verdict(figure: Figure) -> str:
    return {None: "", True: "yes", False: "no"}[figure.met]


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for entry in cpuinfo.read_text().splitlines():
            if entry.startswith("model name"):
                return entry.partition(":")[2].strip()
    return platform.processor() or "unknown"
