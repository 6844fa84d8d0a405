"""What the tests under load run under: the options, and this round's part of the long tables.

A test marked ``rotated(n)`` is one of a table too long for a round: a session takes every n-th
case, beginning with that of its seed, so n rounds with seeds in a row take them all.
With ``--minutes`` a round ends when they are over, and takes its tests in an order of its seed.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from typing import Any

import pytest

from actors_rs.errors import InvalidArgumentError
from stress.settings import YIELD_P, Settings
from tests.spark.conftest import shared_session

pytest_plugins = ["actors_rs.testing.pytest_plugin"]
SETTINGS = pytest.StashKey[Settings]()
REPEAT = "__pytest_repeat_step_number"
"""The parameter by which pytest-repeat counts."""
BEGAN = pytest.StashKey[float]()
LEFT_OUT = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("stress", "real threads under load (--seed says which round it is)")
    group.addoption("--minutes", type=float, metavar="N", help="begin no test after N minutes")
    group.addoption(
        "--dilation", type=float, default=1.0, metavar="F", help="stretch all times by F"
    )
    group.addoption(
        "--yield-p",
        type=float,
        default=YIELD_P,
        metavar="P",
        help=f"how often the runtime gives the processor away (default: {YIELD_P})",
    )
    group.addoption("--whole", action="store_true", help="whole tables, not this round's part")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rotated(n): a long table; each round takes every n-th case")
    settings = _settings(config.getoption)
    settings.publish()
    config.stash[SETTINGS] = settings
    config.stash[BEGAN] = time.monotonic()
    config.stash[LEFT_OUT] = []


def _settings(option: Any) -> Settings:
    try:
        return Settings(
            option("--seed", None) or 0,
            option("--minutes"),
            option("--dilation"),
            option("--yield-p"),
            option("--whole"),
        )
    except InvalidArgumentError as wrong:
        raise pytest.UsageError(str(wrong)) from wrong


def pytest_report_header(config: pytest.Config) -> str:
    settings = config.stash[SETTINGS]
    shown = f"--dilation {settings.dilation} --yield-p {settings.yield_p}"
    return f"stress: --seed {settings.seed} {shown}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    settings = config.stash[SETTINGS]
    tables: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("rotated") is not None:
            tables[item.nodeid.partition("[")[0]].append(item)
    dropped: set[pytest.Item] = set()
    for cases in tables.values():
        mark: Any = cases[0].get_closest_marker("rotated")
        table = list(dict.fromkeys(map(_case_of, cases)))
        if not settings.whole and len(table) > mark.args[0]:
            taken = set(table[settings.seed % mark.args[0] :: mark.args[0]])
            dropped.update(item for item in cases if _case_of(item) not in taken)
    if dropped:
        config.hook.pytest_deselected(items=list(dropped))
        items[:] = [item for item in items if item not in dropped]
    if settings.minutes is not None:
        random.Random(settings.seed).shuffle(items)


def _case_of(item: pytest.Item) -> str:
    """The same for each of the times that ``--count`` repeats a case of a table."""
    callspec: Any = getattr(item, "callspec", None)
    params: dict[str, Any] = callspec.params if callspec is not None else {}
    return repr([(name, str(value)) for name, value in params.items() if name != REPEAT])


def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Begin no test when the time is up."""
    stash = item.config.stash
    minutes = stash[SETTINGS].minutes
    if minutes is None or time.monotonic() - stash[BEGAN] <= 60 * minutes:
        return None
    stash[LEFT_OUT].append(item.nodeid)
    return True


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Tell how much of the round the time was too short for."""
    if left_out := len(config.stash[LEFT_OUT]):
        terminalreporter.write_line(f"{left_out} tests not begun: the minutes were over")


@pytest.fixture(scope="session")
def settings(request: pytest.FixtureRequest) -> Settings:
    """What the options say."""
    return request.config.stash[SETTINGS]


@pytest.fixture
def spark() -> Any:
    """A Spark session, for each test anew: one before it may have lost it."""
    return shared_session()
