"""Dispatchers: they give threads to mailboxes; also the threads, timers and the event loop.

Begin with ``dispatcher`` (the contract), then ``pool`` (the shared threads), ``pinned`` and
``calling_thread``. ``workers`` and ``job_queue`` are the threads of the pool, ``timers`` is the
thread of timers, ``event_loop`` runs coroutines. ``user_code`` finds the user's function that a
thread is in, ``blocked`` advises if the function blocks a thread of the pool. ``resources`` is all
that one system runs on. Imports ``_primitives``, ``_logging`` and ``settings``; ``resources``
imports ``processes``, too. Knows nothing of actors.
"""
