"""Dispatchers: who gives threads to mailboxes, and the threads, timers and event loop behind them.

Begin with ``dispatcher`` (the contract), then ``pool`` (the shared threads), ``pinned`` and
``calling_thread``. ``machinery`` is all that one system runs on. Knows nothing of actors.
"""
