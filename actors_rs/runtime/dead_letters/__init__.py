"""Dead letters: messages and failures without a receiver, their readers and their log lines.

Begin with ``dead_letters``; ``letter_reader`` serves one subscriber, ``brief`` and ``raised_at``
shorten errors for a log. Knows nothing of actors.
"""
