# mypy: disable-error-code="var-annotated, no-untyped-def, attr-defined, arg-type, override"
"""Actors: mailboxes, questions, restarts, watches, the end of a system."""

from asyncio import sleep

from pykka import ActorDeadError

from actors_rs import ChildSpec, OneForAll, OneForOne, PooledActor, Sink
from actors_rs import Supervisor as Tree
from actors_rs.errors import RestartLimitError
from actors_rs.runtime.supervision.backoff import Backoff
from tests.explored.scenario import Scenario, Sources, settle

SOON = Backoff(1.0, 1.0, jitter=0)


class Noting(PooledActor):
    """Notes what it is told; some messages make it fail."""

    def __init__(self, notes, name="a"):
        super().__init__()
        self.notes, self.name = notes, name
        self.seen = 0

    def on_start(self):
        self.notes.append(("start", self.name))

    def on_stop(self):
        self.notes.append(("stop", self.name))

    def on_receive(self, message):
        self.seen += 1
        if isinstance(message, Exception):
            raise message
        self.notes.append(("got", message))
        return self.seen


class Awaiting(Noting):
    """The same with coroutines; each has the actor to itself up to its end."""

    busy = ""

    async def alone(self, what):
        assert not self.busy, f"{what} while {self.busy} goes on"
        self.busy = what
        await sleep(self.system.chance() * 0.1)
        await sleep(0)
        self.busy = ""

    async def on_start(self):
        await self.alone("on_start")
        super().on_start()

    async def on_stop(self):
        await self.alone("on_stop")
        super().on_stop()

    async def on_receive(self, message):
        await self.alone(f"the handler of {message}")
        return super().on_receive(message)

    async def on_failure(self, kind, error, traceback):
        await self.alone("on_failure")


KINDS = (Noting, Awaiting)


def every_question_is_answered(world):
    """Whoever asks while the actor stops gets an answer or is told that it is dead."""
    ref = world.spawn(world.pick("kind", KINDS), [])
    answers = []

    def ask(x):
        try:
            answers.append(ref.ask(x, block=False))
        except ActorDeadError:
            answers.append(None)

    for x in range(3):
        world.soon("ask", lambda x=x: ask(x))
    world.soon("stop", lambda: ref.stop(block=False))
    world.until(lambda: len(answers) == 3, 10.0)
    for answer in answers:
        if answer is not None:
            try:
                assert answer.get(timeout=60.0) >= 1
            except ActorDeadError:
                pass
    world.sleep(1)  # a coroutine of ``on_stop`` takes its time
    settle(world)


def every_message_is_handled_or_reported(world):
    notes = []
    ref = world.spawn(world.pick("kind", KINDS), notes)
    for x in range(4):
        world.soon("tell", lambda x=x: _told(ref, x, notes))
    world.soon("stop", lambda: ref.stop(block=False))
    world.sleep(9)
    letters = [("got", one.what) for one in world.system.dead_letters.recent()]
    seen = [note for note in notes if note[0] in ("got", "dead")]
    assert len(seen) + len(letters) == 4, (notes, letters)
    settle(world)


def _told(ref, x, notes):
    try:
        ref.tell(x)
    except ActorDeadError:
        notes.append(("dead", x))


def a_restarted_actor_keeps_its_mailbox(world):
    notes = []
    spec = ChildSpec(world.pick("kind", KINDS), (notes,), name="a")
    top = world.system.supervise(Tree(OneForOne(max_restarts=9, backoff=SOON), [spec]))
    ref = top.child("a")
    for x in (1, ValueError(), 2, ValueError(), 3):
        ref.tell(x)
    world.sleep(10)
    assert [x for what, x in notes if what == "got"] == [1, 2, 3], notes
    assert notes.count(("start", "a")) == 3, notes
    assert ref.ask("x") == 2, "it began with the state of the one before"


def too_many_restarts(world):
    """An actor that fails again and again is given up."""
    notes, failures = [], []
    rule = OneForOne(max_restarts=3, within=60.0, backoff=SOON)
    top = world.system.supervise(Tree(rule, [ChildSpec(Noting, (notes,), name="a")]))
    top.child_slots.escalate = failures.append
    ref = top.child("a")
    for _ in range(8):
        if ref.is_alive():
            ref.tell(ValueError())
        world.sleep(2)
    assert notes.count(("start", "a")) == 4, notes
    assert [type(one) for one in failures] == [RestartLimitError], failures
    assert not top.is_alive()


def all_together(world):
    """When one fails, all stop in the reverse order and start in order, one after the other."""
    notes = []
    kind = world.pick("kind", KINDS)
    specs = [ChildSpec(kind, (notes, name), name=name) for name in "abc"]
    top = world.system.supervise(Tree(OneForAll(max_restarts=9, backoff=SOON), specs))
    world.sleep(2)
    assert notes == [("start", name) for name in "abc"], notes
    top.child("b").tell(ValueError())
    world.sleep(9)
    stops = [name for what, name in notes if what == "stop"]
    assert stops == ["c", "a"], notes
    assert [name for what, name in notes[-3:] if what == "start"] == ["a", "b", "c"], notes


def a_tree_stops_from_its_leaves(world):
    """Who waits for the end of a supervisor finds all of its children ended."""
    notes = []
    kind = world.pick("kind", KINDS)
    inner = Tree(OneForOne(), [ChildSpec(kind, (notes, name), name=name) for name in "bc"], "in")
    outer = [ChildSpec(kind, (notes, "a"), name="a"), inner]
    top = world.system.supervise(Tree(OneForOne(), outer))
    world.settle()
    refs = [top.child(path) for path in ("a", "in/b", "in/c")]
    top.stop()
    assert [name for what, name in notes if what == "stop"] == ["c", "b", "a"], notes
    assert not any(ref.is_alive() for ref in refs)


def told_before_it_has_started(world):
    """A tree that is told to stop before it has started handles what its children were told."""
    rule = world.pick("strategy", (OneForOne, OneForAll))()
    inner = Tree(rule, [ChildSpec(Noting, ([], name), name=name) for name in "bc"], name="in")
    first, last = (ChildSpec(Noting, ([], name), name=name) for name in "ad")
    top = world.system.supervise(Tree(rule, [first, inner, last]))
    answers = [top.child(path).ask("x", block=False) for path in ("a", "in/b", "in/c", "d")]
    if world.pick("which", ("all", "one")) == "all":
        world.system.stop_soon()
    else:
        assert top.stop_child("d", block=False).get(timeout=20) is True
    assert [answer.get(timeout=20) for answer in answers] == [1] * 4


class Watching(PooledActor):
    def __init__(self, whom, heard):
        super().__init__()
        self.whom, self.heard = whom, heard

    def on_start(self):
        for ref in self.whom:
            self.watch(ref)
            self.watch(ref)

    def on_receive(self, message):
        self.heard.append(message.ref.actor_urn)


def an_end_is_heard_once(world):
    """Whoever watches hears of each end, once, whenever it watches and whenever that comes."""
    heard = []
    refs = [world.spawn(Noting, []) for _ in range(2)]
    world.soon("watch", lambda: world.spawn(Watching, refs, heard))
    world.soon("stop", lambda: refs[0].stop(block=False))
    world.soon("fail", lambda: refs[1].tell(ValueError()))
    world.settle()
    assert sorted(heard) == sorted(ref.actor_urn for ref in refs), heard


def a_shutdown_drains(world):
    """What is in hand when the system ends is delivered; whoever reads dead letters hears all."""
    sources, got, letters = Sources(), [], []
    reading = world.system.subscriber(Sink.for_each(letters.append))
    world.system.dead_letters.subscribe(reading)
    run = world.start(sources(range(50)).map(int).to(Sink.for_each(got.append)))
    world.spawn(Last, [], "last")
    for _ in range(world.pick("steps", (12, 4, 20, 30))):
        world.step(0)
    began = world.now
    world.system.shutdown(drain=True, timeout=50.0)
    assert world.now == began, f"it took {world.now - began} s"
    assert run.state == "completed", run.state
    assert got == list(range(len(got))), got
    assert reading.run.state == "completed", reading.run.state
    assert [one.what for one in letters] == ["too late"], letters
    sources.check()


class Last(Noting):
    """Says something when it stops that nobody can hear."""

    def on_stop(self):
        super().on_stop()
        self.system.dead_letters.publish("too late", where=self.name, why="it has stopped")


def a_coroutine_is_cancelled_or_ends(world):
    """An actor whose system is cancelled ends soon; each message is handled or reported."""
    notes = []
    ref = world.spawn(Patient, notes)
    answers = [ref.ask(x, block=False) for x in range(3)]
    for _ in range(world.pick("steps", (4, 0, 8, 16))):
        world.step(0)
    world.system.shutdown(drain=False, timeout=50.0)
    assert world.now < 2.5, f"it took {world.now} s"
    for answer in answers:
        try:
            answer.get(timeout=0)
        except ActorDeadError:
            notes.append(("dead", "a"))
    assert len([note for note in notes if note[0] in ("dead", "got")]) == 3, notes
    assert notes.count(("stop", "a")) == (("start", "a") in notes), notes


class Patient(Awaiting):
    """One that would take hours."""

    async def on_receive(self, message):
        if message == 1:
            await sleep(7200)
        return await super().on_receive(message)

    async def on_start(self):
        self.notes.append(("start", "a"))

    async def on_stop(self):
        self.busy = ""  # a handler was cancelled
        await super().on_stop()


def actors_stop_in_order(world):
    notes = []
    for name in "abc":
        world.spawn(Last, notes, name)
    world.settle()
    world.system.shutdown(timeout=50.0)
    assert [name for what, name in notes if what == "stop"] == ["c", "b", "a"], notes
    assert world.now == 0, f"it took {world.now} s"


def a_long_mailbox(world):
    """A turn that does not come to the end of its mailbox is followed by another one."""
    notes = []
    ref = world.spawn(Noting, notes)
    for x in range(120):
        ref.tell(x)
    assert ref.ask("last") == 121
    assert [x for what, x in notes if what == "got"] == [*range(120), "last"]


CASES = {}
SCENARIOS = [
    Scenario("every question is answered", every_question_is_answered),
    Scenario("every message is handled or reported", every_message_is_handled_or_reported),
    Scenario("a restarted actor keeps its mailbox", a_restarted_actor_keeps_its_mailbox),
    Scenario("too many restarts", too_many_restarts),
    Scenario("all together", all_together),
    Scenario("a tree stops from its leaves", a_tree_stops_from_its_leaves),
    Scenario("told before it has started", told_before_it_has_started),
    Scenario("an end is heard once", an_end_is_heard_once),
    Scenario("a shutdown drains", a_shutdown_drains),
    Scenario("actors stop in order", actors_stop_in_order),
    Scenario("a coroutine is cancelled or ends", a_coroutine_is_cancelled_or_ends),
    Scenario("a long mailbox", a_long_mailbox),
]
