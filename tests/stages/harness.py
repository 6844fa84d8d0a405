# mypy: disable-error-code="var-annotated"
"""A stage's logic alone: recorders on its ports, no actor, no thread; time passes when told to."""

from collections import deque
from contextlib import nullcontext
from functools import partial

from actors_rs.errors import StageError
from actors_rs.runtime.memory_budget import Share


class Upstream:
    """What an inlet asked for."""

    def __init__(self):
        self.requests = []
        self.cancelled = False
        self.cause = None

    @property
    def requested(self):
        return sum(self.requests)

    def request(self, n):
        assert not self.cancelled, "a request behind the cancellation"
        self.requests.append(n)

    def cancel(self, cause=None):
        assert not self.cancelled, "cancelled twice"
        self.cancelled, self.cause = True, cause


class Downstream:
    """What an outlet gave; fails the test on a signal behind the end."""

    def __init__(self):
        self.frames = []
        self.completed = False
        self.error = None

    @property
    def elements(self):
        return [element for frame in self.frames for element in frame]

    @property
    def ended(self):
        return self.completed or self.error is not None

    def push(self, frame):
        assert not self.ended, "elements behind the end"
        assert len(frame), "an empty frame"
        self.frames.append(list(frame))

    def complete(self):
        assert not self.ended, "two ends"
        self.completed = True

    def fail(self, error):
        assert not self.ended, "two ends"
        self.error = error


class FreeBudget:
    """Time does not pass, so chunks only grow."""

    def lap(self):
        return 0.0

    def spent(self):
        return False


class Timer:
    def __init__(self, seconds, action, now=0.0):
        self.seconds, self.action, self.cancelled = seconds, action, False
        self.due = now + seconds
        self.fired = False

    @property
    def pending(self):
        return not self.fired and not self.cancelled

    def cancel(self):
        self.cancelled = True


class Alone:
    """Drives one logic. Every call is a turn: signals, then what was posted, then ``advance``."""

    name = "alone"

    def __init__(self, logic, window=16):
        self.logic = logic
        self.ups = [Upstream() for _ in logic.inlets]
        self.downs = [Downstream() for _ in logic.outlets]
        self.posted = deque()
        self.timers = []
        self.time = 100.0
        self.reports = None  # a list collects what goes to the dead letters; else nothing may
        self.recoveries = []
        self.jobs = []
        self.abandoned = []
        self.letters = []
        logic.context = self
        for inlet, up in zip(logic.inlets, self.ups, strict=True):
            inlet.window = window
            inlet.connect(up)
        for outlet, down in zip(logic.outlets, self.downs, strict=True):
            outlet.connect(down)
        self.written = set()
        self.turn(logic.start)

    up = property(lambda self: self.ups[0])
    down = property(lambda self: self.downs[0])

    def turn(self, signal=lambda: None):
        try:
            signal()
            while self.posted:
                self.posted.popleft()()
            self.logic.advance(FreeBudget())
        except Exception as error:
            self.logic.fail(error)
        return self

    def push(self, *elements, inlet=0):
        return self.turn(partial(self.logic.inlets[inlet].push, elements))

    def complete(self, inlet=0):
        return self.turn(self.logic.inlets[inlet].complete)

    def fail(self, error, inlet=0):
        return self.turn(partial(self.logic.inlets[inlet].complete, error))

    def request(self, n, outlet=0):
        return self.turn(partial(self.logic.outlets[outlet].request, n))

    def cancel(self, outlet=0, cause=None):
        return self.turn(partial(self.logic.outlets[outlet].cancel, cause))

    def drain(self):
        return self.turn(self.logic.drain)

    def drop(self):
        """The stage has ended: release what it holds, as its actor would."""
        assert self.logic.finished, "the stage has not ended"
        self.logic.stop(None)
        return self

    def elapse(self, seconds):
        """Let time pass; every timer that comes due within it has a turn at its own moment."""
        end = self.time + seconds
        while due := [t for t in self.timers if t.pending and t.due <= end + 1e-9]:
            timer = min(due, key=lambda t: t.due)
            timer.fired = True
            self.time = max(self.time, timer.due)
            self.turn(timer.action)
        self.time = end
        return self

    @property
    def pending(self):
        """The timers that are running."""
        return [timer for timer in self.timers if timer.pending]

    # StageContext

    def post(self, action):
        self.posted.append(action)

    def now(self):
        return self.time

    def after(self, seconds, action):
        self.timers.append(Timer(seconds, action, self.time))
        return self.timers[-1]

    memory = None  # a ``MemoryBudget``, for a stage under a limit

    def memory_share(self):
        return None if self.memory is None else Share(self.memory)

    def filling(self, outlet, frame):
        return False

    def begins_call(self):
        return self.jobs[-1] if self.jobs else None

    def abandon(self, job):
        self.abandoned.append(job)

    def committing(self):
        return nullcontext()

    def run_blocking(self, job):
        self.jobs.append(job)
        return True

    def run_coroutine(self, coroutine, done=None, context=None):
        raise NotImplementedError

    def operation(self, kind, number, attempt=1):
        return None

    def failed(self, error, position=None, *, plain=False, beside=None):
        return error if plain else StageError(self.name, error, position)

    def recovered(self, error):
        self.recoveries.append(error)

    def linger(self, release):
        self.release = release

    def passed_over(self, element, error, position, policy):
        self.letters.append((element, position, policy))

    def report(self, what, why, error=None):
        assert self.reports is not None, f"{why}: {what!r}"
        self.reports.append((what, why))
