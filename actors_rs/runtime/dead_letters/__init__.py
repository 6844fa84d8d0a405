"""Dead letters: what could not be delivered, who may read it, and how it is told.

Begin with ``dead_letters``; ``letter_reader`` serves one subscriber, ``brief`` and ``raised_at``
shorten errors for a log. Knows nothing of actors.
"""
