"""Resuming: what a ledger is told of a Spark plan, and whether it is still the same plan.

Begin with ``describing`` and ``other_plan``; ``bookkeeping`` writes, ``verifying`` computes a
sample again. ``actors_rs.spark.repeat`` judges whether a plan can be repeated at all.
"""
