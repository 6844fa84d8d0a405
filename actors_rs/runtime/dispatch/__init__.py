"""Dispatchers: they give threads to mailboxes; also the threads, timers and the event loop.

Begin with ``dispatcher`` (the contract), then ``pool`` (the shared threads), ``pinned`` and
``calling_thread``. ``timers`` is the thread of timers, ``workers`` and ``job_queue`` are the
threads of the pool. ``resources`` is all that one system runs on. Knows nothing of actors.
"""
