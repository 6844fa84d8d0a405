"""Actors for the tests of supervision: they note their lives and fail when told to."""

from actors_rs import PooledActor
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.runtime.supervision.child_spec import ChildSpec, Supervisor
from actors_rs.runtime.supervision.strategies import OneForAll, OneForOne, RestForOne

SOON = Backoff(initial=0, maximum=0, jitter=0)
"""The shortest waits there are."""
STRATEGIES = (OneForOne, OneForAll, RestForOne)


class Noting(PooledActor):
    """Notes (what, name) of its life in a list all of its family share; counts what it got."""

    def __init__(self, name, notes):
        super().__init__()
        self.name, self.notes, self.count = name, notes, 0

    def on_start(self):
        self.notes.append(("start", self.name))

    def on_stop(self):
        self.notes.append(("stop", self.name))

    def on_failure(self, *info):
        self.notes.append(("fail", self.name))

    def on_receive(self, message):
        if isinstance(message, BaseException):
            raise message
        if callable(message):
            return message(self)
        self.count += 1
        return self.count


def noting(names, notes, kind=Noting, **rest):
    """Specs of children called ``names``, one letter each."""
    return [ChildSpec(kind, (name, notes), name=name, **rest) for name in names]


def tree(strategy, names, notes, **rest):
    """A supervisor of ``Noting`` children."""
    return Supervisor(strategy, noting(names, notes, **rest), name="tree")


def shown(notes, since=0):
    """The notes as words: ``"start a"``."""
    return [" ".join(note) for note in notes[since:]]


def lives(notes, name):
    """How many actors have started in the place of that name."""
    return notes.count(("start", name))
