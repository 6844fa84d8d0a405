"""Inner streams: sources that a stage begins while it runs, and outlets handed to other streams.

Begin with ``streams.py`` (``attach``), then ``handoff.py`` (an outlet as a stream). ``chains.py``
and ``drawer.py`` are faster ways for simple streams. ``totals.py`` adds up what ended inner streams
did. The logics that use them are in ``stages``; what these share is in ``stages/inner``. May import
what ``engine`` may.
"""
