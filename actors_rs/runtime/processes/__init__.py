"""Worker processes of a system: what runs the calls of ``map_processes``.

Begin with ``pool.py``, which owns the workers; ``calls.py`` is what a stage gets of it, and says
what becomes of a chunk whose worker died. ``worker.py`` and ``wire.py`` run in the worker as they
are, without this package: they import nothing of ours but each other.
"""
