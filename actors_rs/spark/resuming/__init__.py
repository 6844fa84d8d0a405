"""Resuming: the description of a Spark plan in a ledger, and whether it is still the same plan.

Begin with ``describing`` and ``other_plan``; ``ledger_writer`` writes, ``verifying`` computes a
sample again. ``actors_rs.spark.repeat`` judges whether a plan can be repeated at all.
"""
