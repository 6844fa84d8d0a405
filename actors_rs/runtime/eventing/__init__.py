"""Events of runs and stages: the table of events, and their listeners.

Begin with ``events.py``. ``kinds.py`` is the table, ``operations.py`` has what lasts, such as a
call. May import ``dead_letters`` and ``_primitives``, and nothing else of ``runtime``'s folders.
"""
