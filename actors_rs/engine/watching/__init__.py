"""Watchers of a run that makes no progress: each sees its stages from outside, on a timer.

Begin with ``stall_watch``, which ends a run that stands still for good; ``stall`` words which stage
waits for which, a pure function of a snapshot. ``drain_watch`` reports which stages a drain waits
for, ``loop_watch`` tells the stage of a ``Feedback`` whether its loop is empty. Imports ``calls``
of ``engine``, ``run/snapshot.py``, ``graph`` and ``stages``; ``run/scope.py`` and ``assembly.py``
start the watchers.
"""
