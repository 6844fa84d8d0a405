"""Dead letters: messages and failures without a receiver, their readers and their log lines.

Begin with ``dead_letters``. ``letter_reader`` serves one subscriber, ``failure_log`` logs failures
of actors. ``brief`` shortens errors for a log, ``raised_at`` replaces the traceback of a kept error
with a note. Imports ``dispatch``, ``protocol``, ``_primitives`` and ``_logging``. Knows nothing of
actors.
"""
