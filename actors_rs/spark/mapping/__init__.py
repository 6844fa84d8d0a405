"""``spark_map``: a stage whose calls are Spark jobs.

Begin with ``mapping`` (what users call), then ``map_stage`` (the stage) and ``map_worker`` (what
runs on an executor and imports nothing of this package there).
"""
