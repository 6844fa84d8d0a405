# mypy: disable-error-code="var-annotated"
"""Dispatchers for models, whose only threads are those of the search."""

from collections import deque
from contextlib import suppress


class OnTheCallingThread:
    """Runs a turn on whichever thread hands one in; where two meet, one may run the other's."""

    def __init__(self):
        self._due = deque()
        self.enqueue = self._due.append

    def enqueued(self):
        with suppress(IndexError):
            self._due.popleft()()

    def interrupted(self):
        """Nothing."""

    def schedule(self, turn, /):
        turn()


class Held:
    """Keeps the turns for whoever runs them."""

    def __init__(self):
        self.turns = []
        self.enqueue = self.schedule = self.turns.append

    def enqueued(self):
        """Nothing."""
