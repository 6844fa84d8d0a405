"""A run as a whole: its handle, its end, its snapshot, and what watches over it.

Begin with ``scope.py``: what the stages of a run share, and when the run is over. ``run.py`` is the
handle that users hold. May be imported by all of ``engine``; imports ``engine/contract.py``.
"""
