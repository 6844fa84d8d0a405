"""What every test of the project runs under."""

import gc
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["actors_rs.testing.pytest_plugin"]

# How long an example takes says something about the machine, and nothing about a promise.
settings.register_profile("promises", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("promises")


def pytest_collection_finish() -> None:
    """The collector leaves alone what ten thousand tests are made of.

    Else each look for garbage goes through all of that, and those that test for leaks look often.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file stays on one worker; those that share a Spark session stay on the same one."""
    from xdist.scheduler import LoadScopeScheduling

    def unit(nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "tests/spark" if file.startswith("tests/spark/") else file

    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = unit
    return scheduler
