"""Marble diagrams: each is described once, played in virtual time by a test, and drawn as SVG.

Begin with ``played.py``; ``operators.py`` and ``junctions.py`` hold the descriptions. To write the
pictures: ``python -m tests.pages.marbles``.
"""
