"""What the tests under load run under."""

from tests.spark.conftest import spark

__all__ = ["spark"]

pytest_plugins = ["actors_rs.testing.pytest_plugin"]
