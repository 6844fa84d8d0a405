"""Forked children and the exit of the process: no hang, and what is stuck is named."""

import pytest

from tests.runtime.processes import run

CHILD = """
class Echo(PooledActor):
    def on_receive(self, message):
        return message
"""


def test_in_a_child_a_system_of_the_parent_refuses_in_a_sentence():
    lines, _ = run(
        CHILD
        + """
with ActorSystem(name="own") as system:
    ref = system.spawn(Echo)
    going = system.start(Source.never().to(Sink.list()))
    in_child(lambda: system.spawn(Echo))
    in_child(lambda: ref.tell(1))
    in_child(lambda: ref.ask(1))
    in_child(lambda: going.result())
    going.cancel()
    say(ref.ask("the parent goes on"))
"""
    )
    refusal = (
        "InvalidArgumentError: an actor needs a running system, 'own' runs in the parent of this "
        "process: make a system after the fork"
    )
    assert lines[0] == refusal
    assert [line.split(":")[0] for line in lines[1:3]] == ["ActorDeadError", "ActorDeadError"]
    assert lines[3] == ("RunCancelled: run 'run' goes on in the parent of this process, not here")
    assert lines[4:] == ["the parent goes on"]


def test_in_a_child_a_supervisor_of_the_parent_refuses_and_all_its_children_are_dead():
    lines, _ = run(
        CHILD
        + """
from actors_rs import ChildSpec, OneForAll, Supervisor

gate = threading.Event()

class Late(Echo):
    def on_start(self):
        gate.wait(20)

children = [ChildSpec(Late, name="late"), ChildSpec(Echo, name="b")]
inner = Supervisor(OneForAll(), children, name="in")
with ActorSystem(name="own") as system:
    top = system.supervise(Supervisor(OneForAll(), [ChildSpec(Echo, name="a"), inner]))
    top.child("a").ask(1)
    with top.child_slots._lock:  # as a thread of the parent may hold it
        in_child(lambda: top.start_child(ChildSpec(Echo)))
        in_child(lambda: top.stop_child("a"))
        in_child(lambda: top.supervise(top.child("a")))
        in_child(lambda: top.child("a").ask(1))
        in_child(lambda: top.child("in/b").ask(1))  # which has not started yet
        in_child(lambda: say("stopped", top.child("in/b").stop()))
    gate.set()
    say(top.child("in/b").ask("the parent goes on"))
"""
    )
    refusal = (
        "InvalidArgumentError: an actor needs a running system, 'own' runs in the parent of this "
        "process: make a system after the fork"
    )
    assert lines[:3] == [refusal] * 3
    assert [line.split(":")[0] for line in lines[3:5]] == ["ActorDeadError", "ActorDeadError"]
    assert lines[5:] == ["stopped False", "the parent goes on"]


@pytest.mark.parametrize("leave", ["pass", "sys.exit(0)", "os._exit(0)"])
def test_a_child_can_leave_the_block_of_its_parents_system(leave):
    lines, _ = run(f"""
        with ActorSystem() as system:
            going = system.start(Source.repeat(1).map(lambda n: n).to(Sink.ignore()))
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                {leave}
            else:
                say(os.waitpid(child, 0)[1])
                going.cancel()
        if child == 0:
            sys.exit(0)
        say(going.state)
    """)
    assert lines == ["0", "cancelled"]


@pytest.mark.parametrize(
    "forked_where",
    [
        """
ref = Echo.start()
say(in_child(work))
say(ref.ask("parent"))
ref.stop()
""",
        """
with ActorSystem() as outer, ActorSystem() as system:
    say(in_child(work))
    say(system.spawn(Echo).ask("parent"))
""",
        """
class Forks(PooledActor):
    def on_receive(self, message):
        return in_child(work)
with ActorSystem() as system:
    say(system.spawn(Forks).ask("go"))
say("parent")
""",
    ],
    ids=["beside the default system", "in blocks of systems", "in an actor"],
)
def test_a_child_has_a_default_system_of_its_own(forked_where):
    lines, _ = run(
        CHILD
        + """
def work():
    mine = Echo.start()
    say(mine.ask("child"))
    mine.stop()
"""
        + forked_where
    )
    assert lines == ["child", "0", "parent"]


def test_a_child_can_make_a_system_of_its_own_also_when_a_pool_thread_forked_it():
    lines, _ = run(
        CHILD
        + """
def work():
    with ActorSystem() as mine:
        say(mine.start(Source.range(0, 5).to(Sink.sum())).result(20))
class Forks(PooledActor):
    def on_receive(self, message):
        return in_child(work)
with ActorSystem() as system:
    say(system.spawn(Forks).ask("go"))
"""
    )
    assert lines == ["10", "0"]


def test_children_forked_while_many_threads_hold_locks_do_not_hang():
    lines, _ = run(
        CHILD
        + """
sys.setswitchinterval(1e-5)
with ActorSystem(workers=4) as system:
    runs = [system.start(Source.repeat(1).map_async(lambda n: n, 4).to(Sink.ignore()))
            for _ in range(3)]
    def work():
        for going in runs:
            going.cancel()
            going.drain(1)
            going.wait(1)
        system.drain()
        system.shutdown()
        with ActorSystem(workers=1) as mine:
            mine.start(Source.range(0, 5).to(Sink.sum())).result(20)
    say({in_child(work) for _ in range(20)})
    for going in runs:
        going.cancel()
"""
    )
    assert lines == ["{0}"]


def test_a_child_is_told_that_nobody_takes_what_it_hands_to_a_stream_of_its_parent():
    lines, _ = run(
        CHILD
        + """
with ActorSystem() as system:
    going = system.start(Source.queue(3).to(Sink.list()))
    queue, held, over = going.queue(), threading.Event(), threading.Event()
    def hold():  # as a thread of the parent may, just when it is forked
        with queue._changed.lock:
            held.set()
            over.wait()
    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    in_child(lambda: say(queue.closed, queue.offer("lost")))
    in_child(lambda: say(going.queue() is queue, going.snapshot().state))
    in_child(lambda: queue.put("lost", timeout=1))
    over.set()
    holder.join()
    queue.put("kept")
    queue.complete()
    say(going.result(20))
"""
    )
    why = "its run goes on in the parent of this process"
    refusal = f"IllegalStateError: queue 'queue' takes nothing more: {why}"
    assert lines == ["True False", "True cancelled", refusal, "['kept']"]


def test_in_a_child_the_dead_letters_of_its_parent_are_complete():
    lines, _ = run(
        CHILD
        + """
class Reads:
    def on_subscribe(self, subscription):
        subscription.request(10)
    def on_next(self, letter):
        say(letter.what)
        said.set()
    def on_error(self, error):
        say(error)
    def on_complete(self):
        say("complete")
said = threading.Event()
with ActorSystem() as system:
    letters, held, over = system.dead_letters, threading.Event(), threading.Event()
    letters.publish("before the fork", where="here", why="because")
    letters.subscribe(Reads())
    def hold():  # as a thread of the parent may, just when it is forked
        with letters.counting:
            held.set()
            over.wait()
    holder = threading.Thread(target=hold)
    said.wait()
    holder.start()
    held.wait()
    say(in_child(lambda: (system.dead_letters.subscribe(Reads()), letters.total)))
    over.set()
    holder.join()
    letters.publish("behind it", where="here", why="because")
"""
    )
    in_the_child = ["before the fork", "complete"]
    assert lines == ["before the fork", *in_the_child, "0", "behind it", "complete"]


def test_the_exit_of_the_process_cancels_a_system_that_was_never_shut_down():
    lines, errors = run("""
        class Last(PooledActor):
            def on_stop(self):
                say("stopped")
        system = ActorSystem()
        system.spawn(Last)
        system.start(Source.never().to(Sink.list()))
        say("main ends")
    """)
    assert lines == ["main ends", "stopped"]
    assert errors == ""


def test_a_stage_that_never_returns_is_named_in_one_line_and_does_not_hold_the_exit_up():
    lines, errors = run("""
        system = ActorSystem(name="own")
        begun = threading.Event()
        def stuck(n):
            begun.set()
            threading.Event().wait()
        system.start(Source.of(1).map(stuck).named("parse").to(Sink.list()))
        begun.wait()
        say("main ends")
    """)
    assert lines == ["main ends"]
    (line,) = errors.splitlines()
    assert line.startswith("stage 'parse' (<string>:")
    assert "is abandoned: it has been in __main__.stuck" in line
