"""The contract of Reactive Streams: pure, no threads, no actors, no Spark.

Begin with ``interfaces.py``, the four interfaces. ``demand`` counts what was requested, ``link``
judges each signal, ``monitor`` watches a link with it, and ``rules`` has the texts of all rules.
May import ``errors``, ``raised`` and ``texts``.
"""
