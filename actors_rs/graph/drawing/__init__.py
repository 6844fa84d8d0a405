"""Pictures of graphs: boxes and arrows, where they stand, and the formats they are written in.

Begin with ``picture.py``. ``blueprint.py`` makes the picture of a blueprint. May import what
``graph`` may.
"""
