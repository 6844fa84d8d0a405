"""Operators, one a file: ``Flow.map`` is in ``map.py``.

Begin with ``map`` and ``scan``: transforms on the base in ``stages/linear.py``. Then ``flat_map``
(a stage begins streams), ``map_async`` (several calls at the same time) and ``group_by``
(outlets that come and go). Operators import modules of ``stages``, ``ports``, ``chunks``,
``inner``, ``calls``, ``processes`` and ``windows``; never sources, junctions, hubs and sinks.
"""
