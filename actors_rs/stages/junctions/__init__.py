"""Junctions, one a file: more than one inlet or more than one outlet.

Begin with ``merge`` and ``broadcast``; ``stages/junction.py`` is the base of most of them. Stages
whose inlets or outlets come and go are operators (``flat_map_merge``, ``group_by``) or hubs.
"""
