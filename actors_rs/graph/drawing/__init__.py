"""Pictures of graphs: boxes and arrows, where they stand, and the formats they are written in.

Begin with ``picture.py``. ``blueprint.py`` makes the picture of a blueprint, and
``engine/run/snapshot.py`` the picture of a run. May import what ``graph`` may.
"""
