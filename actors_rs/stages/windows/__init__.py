"""Windows in time, as values: which there are, what is in them, when they close. No threads.

Begin with ``spans.py``. ``fixed.py`` and ``sessions.py`` keep what is in open windows, ``pairs.py``
what may still be joined; ``watermarks.py`` says how far time has come, ``moments.py`` reads times.
"""
