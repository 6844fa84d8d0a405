"""What ``Graph.explain()`` prints: pure functions over a layout, which start nothing.

Begin with ``report.py``; ``plan.py`` is the value that all others read. ``islands``, ``holding``,
``waits``, ``failures`` and ``partitions`` each answer one question, as lines of text. Imports
``planner`` and ``layout`` of ``engine``, ``sections/section.py``, ``graph`` and ``stages``.
"""
