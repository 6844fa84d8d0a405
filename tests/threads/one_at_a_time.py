# mypy: disable-error-code="var-annotated, type-arg, override, no-untyped-def"
"""Real threads of which one runs at a time, handed over at what they share: one run of a model.

A thread stops before each access of a *word*: an attribute of a class that was made visible, a
deque, a lock. There somebody chooses who goes on, and the chosen one does what it was about to.
Nothing is traced and no bytecode counted, so a run costs what its accesses and hand-overs cost.

A run also writes down who saw what: of each thread a number that stands for all it has done and
for all that this depended on. Two runs that have the same numbers differ in the order of accesses
that do not conflict, and in nothing else: the state of the model is the same.
"""

from threading import Lock as RealLock
from threading import Thread
from typing import Any

MASK = 2**64 - 1
REAL_SECONDS = 60
"""Seconds after which a run that does not end waits for something that is not controlled."""


class Abandoned(BaseException):
    """Ends the threads of a run that cannot go on."""


class Word:
    """Something that threads share, and what has happened to it."""

    __slots__ = ("guards", "key", "last", "name", "of", "reads", "who", "written")

    def __init__(self, of, name, key):
        self.of = of  # kept alive: words are found by its id
        self.name = name
        self.key = key
        self.last = self.reads = 0
        self.who, self.written, self.guards = 0, False, None


class Run:
    """One run: who is about to do what. ``choose(run, thread)`` says who is next, None if nobody.

    ``points`` are the names of the words at which threads stop; what is found out about others
    is told to ``choose``'s owner by ``contended``, names on which threads may race.
    """

    def __init__(self, threads, choose, first, points, batons):
        count = len(batons)
        self.threads, self.choose, self.first, self.points = threads, choose, first, points
        self.batons, self.over = batons, RealLock()
        self.over.acquire()
        self.words, self.known, self.made = {}, {}, [0] * (count + 1)
        self.past = list(range(1, count + 1))
        self.held = [set() for _ in batons]
        self.fresh = [True] * count
        # What each is about to do: the word, whether it writes, when it can, whether it gives up.
        self.pending: list[Any] = [(None, True, None, False)] * count
        self.left, self.counting = count, RealLock()
        self.going = self.abandoned = False
        self.known_from_here = False  # run to the end, all the same how
        self.current = -1
        self.contended, self.failure, self.story = set(), None, None

    # What the words call.

    def word(self, of, name):
        """The word ``name`` of ``of``."""
        word = self.words.get((id(of), name))
        if word is None:
            key = hash((self.meet(of), name))
            word = self.words[id(of), name] = Word(of, (type(of).__name__, name), key)
        return word

    def meet(self, of):
        """What stands for ``of`` in each run: who made it, and how many things before it."""
        known = self.known.get(id(of))
        if known is None:
            maker = self.current if self.going else -1
            self.made[maker] += 1
            known = self.known[id(of)] = (maker + 1, self.made[maker])
        return known

    def access(self, of, name, writes, ready=None, timed=False):
        """The running thread is about to read or write a word, once it is ``ready``.

        ``writes`` may be a function, asked when it happens. A ``timed`` access may happen before
        it is ready, as if its time were over.
        """
        if not self.going:
            if self.abandoned:
                raise Abandoned
            return
        me, word = self.current, self.word(of, name)
        if word.name not in self.points:
            self._look_for_races(me, word, writes() if callable(writes) else writes)
            if ready is None:
                return
        if self.known_from_here and (ready is None or ready()):
            return
        self.pending[me] = (word, writes, ready, timed)
        if self.fresh[me] and (ready is None or ready()):
            self.first(self, me)
        else:
            self._hand_over(me)
        self.fresh[me] = False
        self._happens(me)

    def _look_for_races(self, me, word, writes):
        word.who |= 1 << me
        word.written |= writes
        held = self.held[me]
        word.guards = set(held) if word.guards is None else word.guards & held
        if word.written and word.who & (word.who - 1) and not word.guards:
            self.contended.add(word.name)

    # What threads have done.

    def would_be(self, thread):
        """The number of ``thread`` once it has done what it is about to do."""
        word, writes, _, _ = self.pending[thread]
        if word is None:
            return hash((thread, "begins"))
        if callable(writes):
            writes = writes()
        seen = (word.last, word.reads) if writes else (word.last,)
        return hash((thread, word.key, self.past[thread], *seen))

    def _happens(self, me):
        word, writes, _, _ = self.pending[me]
        self.past[me] = now = self.would_be(me)
        if word is None:
            return
        if callable(writes):
            writes = writes()
        if writes:
            word.last, word.reads = now, 0
        else:
            word.reads = (word.reads + now) & MASK
        if self.story is not None:
            verb = "writes" if writes else "reads"
            self.story.append(f"thread {me} {verb} {'.'.join(word.name)}")

    def ready(self, thread):
        """Whether ``thread`` could go on."""
        about = self.pending[thread]
        return about is not None and (about[2] is None or about[2]())

    def could_go(self):
        """The threads that could go on; if there are none, those that wait for a time only."""
        able = [thread for thread in range(len(self.pending)) if self.ready(thread)]
        return able or [one for one in range(len(self.pending)) if self.waits_for_a_time(one)]

    def waits_for_a_time(self, thread):
        """Whether ``thread`` can go on because its time is over."""
        about = self.pending[thread]
        return about is not None and about[3] and not about[2]()

    # Handing over.

    def start(self):
        """Run to the end."""
        self.going = True
        self.current = self.choose(self, None)
        self.batons[self.current].release()
        if not self.over.acquire(timeout=REAL_SECONDS):
            self.failure = f"thread {self.current} waits for something that is not controlled"
            self._abandon(self.current)
            raise AssertionError(self.failure)

    def play(self, me):
        """What the thread ``me`` does, from its first turn on."""
        try:
            if not self.abandoned:
                self._happens(me)
                self.threads[me]()
        except Abandoned:
            pass
        except BaseException as error:
            self.failure = self.failure or f"thread {me} raised {error!r}"
        self.pending[me] = None
        with self.counting:
            self.left -= 1
            left = self.left
        if not left:
            self.going = False
            self.over.release()
        elif not self.abandoned:
            self._pass_on(me)

    def _hand_over(self, me):
        if self._pass_on(me):
            self.batons[me].acquire()
        if self.abandoned:
            raise Abandoned

    def _pass_on(self, me):
        """Whether another thread goes on now."""
        chosen = self.choose(self, me)
        if chosen == me:
            return False
        if chosen is None:
            self._abandon(me)
            return False
        self.current = chosen
        self.batons[chosen].release()
        return True

    def _abandon(self, me):
        waiting = [thread for thread, about in enumerate(self.pending) if about is not None]
        if self.failure is None:
            names = [f"thread {one} for {'.'.join(self.pending[one][0].name)}" for one in waiting]
            self.failure = f"all wait for ever: {', '.join(names)}"
        self.going, self.abandoned = False, True
        for thread in waiting:
            if thread != me:
                self.batons[thread].release()


class Players:
    """As many real threads as a model has, for all of its runs; to be used as a context."""

    def __init__(self, count):
        self.batons = [RealLock() for _ in range(count)]
        self.run = None
        for baton in self.batons:
            baton.acquire()
        self.threads = [Thread(target=self._play, args=(one,), daemon=True) for one in range(count)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.run = None
        for baton in self.batons:
            if baton.locked():  # else its thread is on its way out of a run that was abandoned
                baton.release()
        for thread in self.threads:
            thread.join(REAL_SECONDS)

    def _play(self, me):
        while True:
            self.batons[me].acquire()
            if (run := self.run) is None:
                return
            run.play(me)


class Stage:
    """Where the run is that takes place now; at first one without threads."""

    run = Run([], None, None, frozenset(), [])
