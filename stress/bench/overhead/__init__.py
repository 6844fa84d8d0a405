"""Benchmarks of what runs along: metrics, a page, policies, the watch for runs that stand still.

Begin with ``metrics``. Imports ``measuring`` and ``stress.bench.pipeline``, the graph to measure.
"""
