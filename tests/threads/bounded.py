# mypy: disable-error-code="var-annotated, no-untyped-def"
"""Every order in which the threads of a small model can run, up to so many preemptions.

A preemption takes the turn from a thread that could go on, or lets a time be over although some
thread could go on. Without a bound all orders are tried.
Complete is meant literally; each of the reductions leaves out only what is seen elsewhere:

- *Points.* Threads are switched at locks and at words on which they race. Any other word is
  touched by one thread only, never written while they run, or always touched under one and the
  same lock: whoever is preempted before such an access may as well be preempted at its next point,
  for nobody can tell the difference meanwhile (Musuvathi and Qadeer 2007, theorem on iterative
  context bounding: switches at synchronisation suffice as long as each explored run is free of
  races). Which words are raced on is found out: a word that turns out to be begins the search anew.
- *Known states.* A state is who has done what depending on what, and whose turn it is. It is left
  from once with the fewest preemptions it can be reached with: those who get there later have the
  same future before them, and no more preemptions left. (Sleep sets would not do: with a bound,
  the order that they skip may be the only one that is cheap enough.)
- *Alike.* Of threads that differ in nothing the model could tell, the first begins first. Any other
  order is one of these with the names exchanged. Whether they are alike is the model's word.

What is not seen: switches between two bytecodes that touch nothing visible, what C code does
inside one call, and clocks: they stand still.
"""

from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Lock as RealLock
from types import ModuleType
from typing import Any
from unittest.mock import patch

from tests.threads.one_at_a_time import Players, Run, Stage
from tests.threads.shared import Condition, Event, Lock, VisibleDeque, make_visible

CONTROLLED = {
    "deque": VisibleDeque,
    "Condition": Condition,
    "Event": Event,
    "Lock": Lock,
    "RLock": Lock,  # within a model nobody takes one again
    "monotonic": lambda: 0.0,
}


KNOWN_POINTS: frozenset[tuple[str, str]] = frozenset()
"""What a search takes for raced on to begin with."""


@dataclass
class Found:
    """What a search has seen: ``why`` it failed and the ``story`` of that run, or None."""

    runs: int
    states: int
    schedules: int | None
    why: str | None = None
    story: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return self.why is None


class Search:
    """The orders that are still to be tried, those with few preemptions first."""

    def __init__(self, preemptions, alike):
        self.bound = preemptions
        self.alike = tuple(alike)
        self.to_try = [[] for _ in range(1 if preemptions is None else preemptions + 1)]
        self.reached = {}  # state: the fewest preemptions it was reached with
        self.ways_on = {}  # state: those that follow it, with what each costs
        self.runs = 0

    # One run follows ``plan``, then goes on where nobody is preempted.

    def follow(self, plan, cost, expected):
        self.plan, self.cost, self.expected = plan, cost, expected
        self.done, self.cut = bytearray(), False
        self.runs += 1

    def state(self, run, me):
        return hash((*run.past, me))

    def first(self, run, me):
        """The first access of a thread follows its beginning at once."""
        if len(self.done) >= len(self.plan) and not self.cut:
            here = self._arrive(run, me)
            self._go_on(run, here, [(self._after(run, me), 0, me)])

    def choose(self, run, me):
        step = len(self.done)
        if step < len(self.plan):
            chosen = self.plan[step]
            if not run.ready(chosen) and not run.waits_for_a_time(chosen):
                run.failure, chosen = UNEQUAL, None
        else:
            chosen = self._explore(run, me)
        if chosen is not None:
            self.done.append(chosen)
        return chosen

    def _explore(self, run, me):
        able = run.could_go()
        if not able:
            return None
        goes_on = me is not None and run.ready(me)
        if goes_on:
            able.remove(me)
            able.insert(0, me)
        if self.cut:
            return able[0]
        able = [thread for thread in able if self._may_begin(run, thread)]
        here = self._arrive(run, me)
        ways = [(self._after(run, one), int(goes_on and one != me), one) for one in able]
        late = (one for one in range(len(run.pending)) if one not in able)
        ways += [(self._after(run, one), 1, one) for one in late if run.waits_for_a_time(one)]
        self._go_on(run, here, ways)
        return able[0]

    def _may_begin(self, run, thread):
        """Of those that are alike the first one that has not begun."""
        if thread not in self.alike or not _is_new(run, thread):
            return True
        return thread == min(one for one in self.alike if _is_new(run, one))

    def _after(self, run, thread):
        past = run.past.copy()
        past[thread] = run.would_be(thread)
        return hash((*past, thread))

    def _arrive(self, run, me):
        here = self.state(run, me)
        if self.expected not in (None, here):
            run.failure = UNEQUAL
        self.expected = None
        return here

    def _go_on(self, run, here, ways):
        """Remember the ``ways`` from ``here``; the first is taken now."""
        self.ways_on[here] = [(state, cost) for state, cost, _ in ways]
        for state, cost, thread in ways[1:]:
            if self._reaches(state, self.cost + cost):
                level = 0 if self.bound is None else self.cost + cost
                plan = bytes(self.done) + bytes([thread])
                self.to_try[level].append((plan, self.cost + cost, state))
        self.cut = not self._reaches(ways[0][0], self.cost)
        if self.cut:
            self.plan = bytes(self.done)  # what follows is the same whenever this is followed
        run.known_from_here = self.cut and run.story is None

    def _reaches(self, state, cost):
        if self.bound is None:
            cost = 0
        elif cost > self.bound:
            return False
        before = self.reached.get(state)
        if before is not None and before <= cost:
            return False
        self.reached[state] = cost
        return True

    def next_plan(self):
        for level in self.to_try:
            while level:
                plan, cost, state = level.pop()
                if self.bound is None or self.reached[state] == cost:
                    return plan, cost, state
        return None

    def schedules(self, start):
        """How many orders the runs stand for."""
        left = len(self.to_try) - 1 if self.bound is not None else 0
        known: dict[tuple[int, int], int] = {}
        stack = [(start, left)]
        while stack:
            state, left = node = stack[-1]
            ways = [
                (after, left - (0 if self.bound is None else cost))
                for after, cost in self.ways_on.get(state, ())
                if self.bound is None or cost <= left
            ]
            open_ones = [way for way in ways if way not in known]
            if open_ones:
                stack.extend(open_ones)
            else:
                known[node] = sum(known[way] for way in ways) if ways else 1
                stack.pop()
        return known[start, len(self.to_try) - 1 if self.bound is not None else 0]


UNEQUAL = "the same order led elsewhere: the model depends on something that is not controlled"


def _is_new(run, thread):
    about = run.pending[thread]
    return about is not None and about[0] is None


def search(
    model: Callable[[], Any],
    threads: list[Callable[[Any], object]],
    holds: Callable[[Any], bool],
    *modules: ModuleType,
    shared: tuple[type, ...],
    preemptions: int | None = None,
    alike: tuple[int, ...] = (),
    most: int | None = None,
    orders: type[Search] = Search,
) -> Found:
    """Each of ``threads`` is called with a fresh ``model``, in every order; then it ``holds``.

    ``modules`` are those whose locks, deques and clocks take part, ``shared`` the classes whose
    attributes threads share. ``alike`` are the places of threads that may be exchanged. ``most``
    gives up with an error after so many runs.
    """
    with ExitStack() as stack:
        for module in modules:
            for name, ours in CONTROLLED.items():
                if hasattr(module, name):
                    stack.enter_context(patch.object(module, name, ours))
        for kind in shared:
            make_visible(stack, kind)
        players = stack.enter_context(Players(len(threads)))
        points = KNOWN_POINTS
        tried = 0
        while True:
            found, more = _search(
                model, threads, holds, modules, players, orders(preemptions, alike), points, most
            )
            tried += found.runs
            if found.why is not None or not more:
                found.runs = tried
                return found
            points |= more


def _search(model, threads, holds, modules, players, search, points, most):
    """All orders with these ``points``, or as far as it is found that there are more of them."""
    plan, start = (b"", 0, None), hash((*range(1, len(threads) + 1), None))
    while plan is not None:
        assert most is None or search.runs < most, f"more than {most} runs"
        run, why = _one_run(model, threads, holds, modules, players, search, points, plan)
        if why is not None:
            again = (search.plan if search.cut else bytes(search.done), search.cost, None)
            told, _ = _one_run(
                model, threads, holds, modules, players, search, points, again, tell=True
            )
            return Found(search.runs - 1, len(search.reached), None, why, tuple(told.story)), None
        if run.contended:
            return Found(search.runs, 0, None), frozenset(run.contended)
        plan = search.next_plan()
    return Found(search.runs, len(search.reached), search.schedules(start)), None


def _one_run(model, threads, holds, modules, players, search, points, plan, tell=False):
    search.follow(*plan)
    with _fresh_locks(modules):
        bound: list[Callable[[], object]] = []
        run = Stage.run = Run(bound, search.choose, search.first, points, players.batons)
        made = model()
        bound.extend(partial(thread, made) for thread in threads)
        run.story = [] if tell else None
        players.run = run
        run.start()
        if run.failure is not None:
            return run, run.failure
        return run, None if holds(made) else "what must hold does not"


@contextmanager
def _fresh_locks(modules):
    """Locks that a module has made when it was imported are controlled ones, too."""
    kind, kept = type(RealLock()), []
    for module in modules:
        kept += [(module, name, one) for name, one in vars(module).items() if type(one) is kind]
    for module, name, _ in kept:
        setattr(module, name, Lock())
    try:
        yield
    finally:
        for module, name, one in kept:
            setattr(module, name, one)


def check_all(
    model: Callable[[], Any],
    threads: list[Callable[[Any], object]],
    holds: Callable[[Any], bool],
    *modules: ModuleType,
    **options: Any,
) -> Found:
    """As ``search``, whose options it takes; every order must keep what ``holds`` says."""
    found = search(model, threads, holds, *modules, **options)
    assert found.holds, "\n".join((f"{found.why}, after {found.runs} runs:", *found.story))
    return found
