"""A run as a whole: its handle, its end, its snapshot, and its watchers.

Begin with ``scope.py``: the state that the stages of a run share, and when the run is over.
``run.py`` is the handle that users hold, ``end.py`` its end, ``grace.py`` what gives up calls that
do not return. ``observing.py`` reads the figures of a snapshot, ``snapshot.py`` is its data. May be
imported by all of ``engine``; imports ``engine/contract.py``.
"""
