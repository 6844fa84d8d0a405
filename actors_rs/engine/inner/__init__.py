"""Inner streams: sources that a stage begins while it runs, and outlets handed to other streams.

Begin with ``streams.py``. ``totals.py`` adds up what ended inner streams did.
"""
