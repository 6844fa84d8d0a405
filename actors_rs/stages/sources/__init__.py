"""Sources, one a file: ``Source.unfold`` is in ``unfold.py``.

``files`` has the sources that read files and databases. Begin with ``of`` (elements that are there)
and ``from_iterable`` (elements that may block). Sources import modules of ``stages``, ``ports``,
``inner`` and ``calls``; never operators, junctions, hubs and sinks.
"""
