"""The pytest plugin: the kit's markers and ``--tck-dilation``, and the options of ``explore``.

Load it with ``pytest_plugins = ["actors_rs.testing.pytest_plugin"]`` in the topmost conftest.
It owns no test; the kit works without it, but then pytest does not know the markers.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

__all__ = [
    "pytest_addoption",
    "pytest_configure",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
]

EXPLORED = "actors_rs explored"
"""Under this name a worker of pytest-xdist hands on what it has explored."""
WORKERS = "actors_rs workers"
REPLAYS = "actors_rs replays"

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
    _add_explore_options(parser.getgroup("explore", "deterministic exploration of interleavings"))


def _add_explore_options(group: Any) -> None:
    group.addoption(
        "--runs", metavar="N", type=int, help="runs of each exploration, instead of its own number"
    )
    group.addoption(
        "--seed", metavar="N", type=int, help="seed of each exploration, instead of its own"
    )
    group.addoption(
        "--replay", metavar="TRACE", help="make this one run of the selected test again"
    )
    group.addoption(
        "--keep-traces",
        action="store_true",
        help="add the traces of new failures to those that are replayed for ever",
    )
    group.addoption(
        "--schedules",
        metavar="FOLDER",
        default="tests/schedules",
        help="folder of the traces that are replayed for ever (default: tests/schedules)",
    )


def pytest_configure(config: Any) -> None:
    """Make the markers known, and hand the option on where every process looks for it."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    _set_explore_options(config)
    manager = config.pluginmanager
    if manager.hasplugin("xdist") and not manager.hasplugin(WORKERS):
        manager.register(_Workers(), WORKERS)
    if not manager.hasplugin(REPLAYS):
        manager.register(_judge_of_replays(), REPLAYS)
    dilation = config.getoption("--tck-dilation", default=None)
    if dilation is not None:
        os.environ["ACTORS_RS_TCK_DILATION"] = str(dilation)


def _judge_of_replays() -> object:
    """A plugin that fails a test to which no trace fits: it has passed without being replayed."""
    import pytest

    from actors_rs.testing.explore.replays import Replays
    from actors_rs.testing.explore.settings import SETTINGS

    class Judge:
        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_call(self, item: Any) -> Generator[None, Any, Any]:
            SETTINGS.replays = Replays()
            result = yield
            SETTINGS.test_passed(item.nodeid)
            return result

    return Judge()


class _Workers:
    """Hooks of pytest-xdist, known to pytest only where that is installed."""

    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Count what a worker has explored; one that crashed has not told."""
        from actors_rs.testing.explore.settings import SETTINGS

        SETTINGS.add((getattr(node, "workeroutput", None) or {}).get(EXPLORED, ()))


def pytest_sessionfinish(session: Any) -> None:
    """In a worker of pytest-xdist: hand on what was explored to the process that tells it."""
    from actors_rs.testing.explore.settings import SETTINGS

    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[EXPLORED] = [list(one) for one in SETTINGS.explored]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Report how much was explored, and how fast.

    With ``-v`` each exploration has a line, without it only yardsticks have.
    """
    from actors_rs.testing.explore.settings import SETTINGS

    if lines := SETTINGS.summary(detailed=terminalreporter.config.get_verbosity() > 0):
        terminalreporter.section("explored interleavings")
        for line in lines:
            terminalreporter.write_line(line)


def _set_explore_options(config: Any) -> None:
    from actors_rs.testing.explore.settings import SETTINGS

    runs = config.getoption("--runs", default=None)
    if runs is not None and runs < 1:
        raise _usage_error(f"--runs must be at least 1, got {runs}")
    SETTINGS.runs = runs
    SETTINGS.seed = config.getoption("--seed", default=None)
    SETTINGS.trace = config.getoption("--replay", default=None)
    SETTINGS.keep = config.getoption("--keep-traces", default=False)
    SETTINGS.root, SETTINGS.started_in = config.rootpath, config.invocation_params.dir
    SETTINGS.schedules = config.rootpath / config.getoption(
        "--schedules", default="tests/schedules"
    )


def _usage_error(message: str) -> Exception:
    import pytest

    return pytest.UsageError(message)
