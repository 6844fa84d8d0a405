"""Chunks: how many elements a stage takes at once, and in which frames elements wait.

Begin with ``chunk`` (the size of a chunk) and ``frames`` (elements that wait). ``steps`` draws from
iterators that may wait, ``counted`` and ``views`` are iterators that know what is left. No stage
here.
"""
