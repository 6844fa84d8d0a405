"""What every test of the project runs under."""

from hypothesis import HealthCheck, settings

pytest_plugins = ["actors_rs.testing.pytest_plugin"]

# How long an example takes says something about the machine, and nothing about a promise.
settings.register_profile("promises", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("promises")
