"""Worker processes of a system: what runs the calls of ``map_processes``.

Begin with ``pool.py``, which owns the workers; ``pools.py`` has a pool of processes and a pool of
interpreters. ``process.py`` and ``interpreters.py`` are a worker as its parent sees it.
``calls.py`` is what a stage gets of a pool, and says what becomes of a chunk whose worker died.
``revived.py`` rebuilds exceptions of workers, ``needs.py`` checks the library and the cores. All of
these run in the parent; they import each other, the two modules of the worker, ``_primitives`` and
``condition``. ``worker.py`` and ``wire.py`` run in the worker as they are, without this
package: they import nothing of ours but each other.
"""
