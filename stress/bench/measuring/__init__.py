"""The tools of all benchmarks: rounds in turn, memory of a fresh process, reports.

Begin with ``harness``. Imports no benchmark.
"""
