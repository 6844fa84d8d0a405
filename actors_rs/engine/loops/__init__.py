"""How loops and other consumers outside take elements out of a run: on any thread or event loop.

Begin with ``sink_queue.py``: the bounded queue between a run's sink and its consumers. An
``Iteration`` is a run with such a queue for one loop, ``awaited.py`` is a run that one coroutine
waits for. ``iteration`` and ``sink_queue`` import ``run/waiting.py``, ``sink_queue`` imports
``run/source_queue.py``. The other way, ``run/run.py`` and ``run/scope.py`` import ``sink_queue``.
Other imports: ``runtime``, ``protocol/demand.py``, ``stages/sinks/queue.py``; ``Run``, ``RunEnd``
and ``engine/contract.py`` as types.
"""
