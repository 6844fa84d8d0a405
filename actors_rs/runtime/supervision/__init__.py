"""Supervision: supervisors, their strategies, and the children they start, watch and restart.

Begin with ``child_spec`` (what users give) and ``supervisor``. ``supervised`` is the slot of one
child, ``child_slots`` holds all slots of a supervisor. ``strategies`` (which children),
``intensity`` (how often), ``backoff`` (how long to wait) and ``affected`` are pure. ``reminders``
are a supervisor's messages to itself, ``overdue`` reports stops that take long. ``supervisor_ref``
is how users start and call a supervisor, ``supervising`` is the part of a system that starts the
top ones. Imports ``actors``, ``eventing``, ``_primitives``, ``_logging`` and ``settings``, and
``system/tree`` as types.
"""
