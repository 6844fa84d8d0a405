"""Events of runs and stages: the table of events, and their listeners.

Begin with ``events.py``. ``kinds.py`` is the table, ``operations.py`` has what lasts, such as a
call. Imports ``dead_letters``, ``_primitives`` and ``_logging``.
"""
