"""Supervision: supervisors, their strategies, and the children they start, watch and restart.

Begin with ``child_spec`` (what users give) and ``supervisor``; ``supervised`` is the slot of one
child, ``child_slots`` holds all slots of a supervisor. ``strategies`` (which children),
``intensity`` (how often) and ``affected`` are pure. May import ``actors`` and ``rate``.
"""
