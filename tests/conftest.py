"""What every test of the project runs under."""

import gc
import logging
import signal
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.defects import Defects

SPARK = "tests/spark/"
LONG = (SPARK, "tests/runtime/test_interrupted", "tests/explored/", "tests/faults/")
"""Begun first, in this order: a long file that comes last leaves the other workers idle."""
pytest_plugins = ["actors_rs.testing.pytest_plugin"]

# How long an example takes says something about the machine, and nothing about a promise.
settings.register_profile(
    "promises", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=50
)
settings.register_profile("thorough", settings.get_profile("promises"), max_examples=500)
settings.load_profile("promises")  # stress/test_properties.py says --hypothesis-profile=thorough


def pytest_configure() -> None:
    """Ctrl-C reaches the processes that tests start, also if these run in the background.

    A shell that starts pytest there has SIGINT ignored, and processes inherit that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Collecting tests makes no garbage, and the collector would visit all of it repeatedly."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.fixture(scope="module", autouse=True)
def small_heap() -> None:
    """The collector skips objects that exist before a file: 18,000 tests, imports and reports.

    Tests that look for leaks collect often, and each collection would visit all of them. Once at
    the start is not enough: an exploration that ends makes the collector visit them again.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def said_of_defects() -> Iterator[list[str]]:
    """What the log says of defects while tests run."""
    handler, logger = Defects(), logging.getLogger("actors_rs")
    logger.addHandler(handler)
    yield handler.said
    logger.removeHandler(handler)


@pytest.fixture(autouse=True)
def defects(said_of_defects: list[str]) -> Iterator[list[str]]:
    """A test during which the log tells of a defect of the library's own fails.

    On a worker or the timers' thread nobody else would notice. A test that provokes one takes it
    off the list.
    """
    said_of_defects.clear()
    yield said_of_defects
    assert not said_of_defects, "the log tells of a defect:\n" + "\n".join(said_of_defects)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file stays on one worker; those that share a Spark session stay on the same one.

    These, and those with sessions of their own, take longest, so they are begun first.
    """
    from xdist.scheduler import LoadScopeScheduling

    def unit(nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        shares = file.startswith(SPARK) and not file.startswith(f"{SPARK}apart/")
        return SPARK if shares else file

    class LongestFirst(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
        def _assign_work_unit(self, node: Any) -> None:
            by_length = (one for begin in LONG for one in self.workqueue if one.startswith(begin))
            first = next(by_length, None)
            if first is not None:
                self.workqueue.move_to_end(first, last=False)
            super()._assign_work_unit(node)

    scheduler = LongestFirst(config, log)
    scheduler._split_scope = unit
    return scheduler
