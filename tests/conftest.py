"""What every test of the project runs under."""

pytest_plugins = ["actors_rs.testing.pytest_plugin"]
