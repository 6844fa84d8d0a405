"""Chunks, frames and windows: how many elements a stage takes, and how many may wait for it.

Begin with ``chunk`` (the size of a chunk), ``frames`` (elements that wait) and ``window_policy``
(the size of an automatic window; ``auto_window`` measures for it). ``steps`` draws from iterators
that may wait, ``counted`` and ``views`` are iterators that know what is left. ``peers`` is the
interface of links. No stage here.
"""
