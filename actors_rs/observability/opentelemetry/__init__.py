"""Metrics and traces of a system for OpenTelemetry: ``Metrics(system)`` and ``Tracing(system)``.

Both need the extra ``opentelemetry``, which is ``opentelemetry-api`` alone. The application sets up
the SDK and its exporters. Imports ``runtime``, ``engine`` and ``observability``.
"""

from actors_rs.observability.opentelemetry.metrics import Metrics as Metrics
from actors_rs.observability.opentelemetry.tracing import Tracing as Tracing

__all__ = ["Metrics", "Tracing"]
