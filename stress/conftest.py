"""What the tests under load run under."""

pytest_plugins = ["actors_rs.testing.pytest_plugin"]
