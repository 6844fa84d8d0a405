"""Inner streams: sources that a stage begins while it runs, and outlets handed to other streams.

Begin with ``streams.py`` (``attach``), then ``handoff.py`` (an outlet as a stream). ``chains.py``
and ``inline.py`` are faster ways for simple streams. ``totals.py`` adds up what ended inner streams
did, ``inner_links.py`` has the links of inner streams for snapshots. The logics that use them are
in ``stages``; what these share is in ``stages/inner``. Imports modules of ``engine``, ``graph``,
``stages``, ``runtime/_primitives.py``, and of ``engine/run`` ``observing`` and ``snapshot``
(``scope`` as a type). The other way, ``run/scope.py`` imports ``totals``.
"""
