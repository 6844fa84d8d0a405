"""Hubs, one a file: subscribers or sources come and go while the stage runs.

Begin with ``hot`` (what hubs have in common) and ``hub_buffer`` (who gets which element, pure).
``engine/boundary/hub.py`` decides who subscribes to ``hub`` and ``partition_hub``, and when;
``language/merge_hub.py`` attaches sources to ``merge_hub``. Imports ``stage`` of ``stages``,
``ports``, ``chunks``, ``inner``, ``junctions/partition.py`` and ``protocol/demand.py``.
"""
