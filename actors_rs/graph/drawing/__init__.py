"""Pictures of graphs: boxes and arrows, where they stand, and the formats they are written in.

Begin with ``picture.py``. ``boxes.py`` has its parts, ``layout.py`` their places, ``svg.py`` draws
them. ``blueprint.py`` makes the picture of a blueprint, and ``engine/run/snapshot.py`` the picture
of a run. Only ``blueprint.py`` imports the rest of ``graph``; the others import no other folder.
"""
