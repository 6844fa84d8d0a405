"""Sinks, one a file: ``Sink.fold`` is in ``fold.py``.

``files`` has the sinks that write files and databases. Begin with ``list``, then ``fan``, which
runs several sinks in one stage. Sinks import modules of ``stages`` and ``chunks``; never operators,
junctions, hubs and sources.
"""
