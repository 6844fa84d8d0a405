"""The kit's pytest plugin: its markers, and ``--tck-dilation``.

Load it with ``pytest_plugins = ["actors_rs.testing.pytest_plugin"]`` in the topmost conftest.
It owns no test; the kit works without it, but then pytest does not know the markers.
"""

from __future__ import annotations

import os
from typing import Any

__all__ = ["pytest_addoption", "pytest_configure"]

MARKERS = (
    "tck_required: conformance test of a rule that must hold",
    "tck_optional: conformance test of something the standard permits; skipped where it is absent",
    "tck_stochastic: conformance test that finds a violation only with some probability",
    "tck_untested: rule that the standard's own kit leaves unchecked",
)


def pytest_addoption(parser: Any) -> None:
    """Add ``--tck-dilation``: the factor by which all waiting times of the kit are stretched."""
    group = parser.getgroup("tck", "Reactive Streams conformance kit")
    group.addoption(
        "--tck-dilation",
        metavar="FACTOR",
        help="stretch all waiting times of the conformance kit (default: 1)",
    )


def pytest_configure(config: Any) -> None:
    """Make the markers known, and hand the option on where every process looks for it."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    dilation = config.getoption("--tck-dilation", default=None)
    if dilation is not None:
        os.environ["ACTORS_RS_TCK_DILATION"] = str(dilation)
