"""Sinks that write by Spark: files, tables, and a function for each batch.

Begin with ``sink`` (what users call), then ``sink_stages``; ``data_set`` compares schemas.
"""
