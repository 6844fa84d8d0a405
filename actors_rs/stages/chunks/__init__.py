"""Chunks, frames and windows: how many elements a stage takes, and how many may wait for it.

Begin with ``chunk`` (the size of a chunk), ``frames`` (elements that wait) and ``window_policy``
(the size of an automatic window; ``auto_window`` measures for it). ``room`` bounds requests besides
the window, ``kept`` bounds elements that a stage keeps besides its inlets, ``weights`` estimates
their bytes, ``dropped`` counts elements that came to an inlet after its end. ``steps`` draws from
iterators that may wait, ``counted`` and ``views`` are iterators that know what is left, ``empty``
is the error of a stream without elements. ``peers`` is the interface of links. No stage here.
Imports no other folder.
"""
