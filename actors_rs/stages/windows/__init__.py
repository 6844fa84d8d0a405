"""Windows in time, as values: their bounds, their elements, when they close. No threads.

Begin with ``spans.py``. ``fixed.py`` and ``sessions.py`` keep the elements of open windows,
``pairs.py`` keeps elements that may still be joined. ``watermarks.py`` says how far time has come,
``event_times.py`` reads times, ``results.py`` is what users get. Imports no other folder.
"""
