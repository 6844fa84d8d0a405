"""How loops and other consumers outside take elements out of a run: on any thread or event loop.

Begin with ``sink_queue.py``: the bounded queue between a run's sink and its consumers. An
``Iteration`` is a run with such a queue for one loop. Imports ``engine/run``.
"""
