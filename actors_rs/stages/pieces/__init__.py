"""Pieces: how many elements a stage takes at once, in which frames, and how a piece ends early.

Begin with ``pace`` (the size of a piece) and ``frames`` (elements that wait); ``brake`` ends a
piece that lasts, ``counted`` and ``views`` are iterators that know what is left. No stage here.
"""
