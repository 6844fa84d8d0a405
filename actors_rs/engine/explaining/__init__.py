"""What ``Graph.explain()`` prints: pure functions over a layout, which start nothing.

Begin with ``report.py``. ``islands``, ``holding``, ``waits``, ``failures`` and ``partitions`` each
answer one question, as lines of text. May import ``planner``, ``layout`` and ``graph``.
"""
