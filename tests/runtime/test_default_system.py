"""Actors started outside any system, in processes of their own."""

import subprocess
import sys
import textwrap

import pytest

PROLOGUE = """
import os, sys, threading, time
from pykka import ActorRegistry
from actors_rs import ActorSystem, PooledActor

def print(*words):  # in one piece, whatever thread prints
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

class Echo(PooledActor):
    def on_receive(self, message):
        if callable(message):
            return message()
        return message
    def on_stop(self):
        print("stopped")
"""


def run(program, *, code=0):
    """What a Python process prints that runs the program; fails if it hangs."""
    done = subprocess.run(
        [sys.executable, "-c", PROLOGUE + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout.split()


def test_the_process_lives_until_its_last_actor_has_stopped_and_then_ends():
    said = run("""
        class Last(Echo):
            def on_start(self):
                threading.Thread(target=self.stop_behind_main, daemon=True).start()
            def stop_behind_main(self):
                threading.main_thread().join()
                self.actor_ref.tell(self.stop)
        Echo.start().stop()
        Last.start()
        print("main ends")
    """)
    assert said == ["stopped", "main", "ends", "stopped"]


def test_a_new_start_after_the_last_stop_works_again_and_again():
    assert run("""
        for number in range(30):
            ref = Echo.start()
            assert ref.ask(number) == number
            assert ref.stop() is True
        until = time.monotonic() + 30  # systems that nobody needs any more end by themselves
        while len(ActorRegistry.get_all()) > 1 and time.monotonic() < until:
            time.sleep(0.001)
        print(len(ActorRegistry.get_all()) <= 1)
    """) == [*["stopped"] * 30, "True"]


def test_its_threads_are_gone_once_it_is_empty():
    assert run("""
        Echo.start().stop()
        for thread in threading.enumerate():
            if thread is not threading.main_thread():
                thread.join(20)
        print(threading.active_count(), len(ActorRegistry.get_all()))
    """) == ["stopped", "1", "0"]


def test_actors_may_start_actors_in_their_constructor_and_in_every_hook():
    assert (
        run("""
        class Parent(Echo):
            dispatcher = "calling_thread"
            def __init__(self):
                super().__init__()
                self.one = Echo.start()
            def on_start(self):
                self.two = Echo.start()
            def on_stop(self):
                three = Echo.start()
                for ref in (self.one, self.two, three):
                    ref.stop(block=False)
        print(Parent.start().stop())
    """).count("stopped")
        == 3
    )


def test_a_constructor_that_raises_does_not_keep_the_process_alive():
    assert run("""
        class Bad(Echo):
            def __init__(self):
                super().__init__()
                raise ValueError("bad")
        class Odd(Echo):
            dispatcher = "odd"
        for kind in (Bad, Odd):
            try:
                kind.start()
            except ValueError as error:
                print(type(error).__name__)
    """) == ["ValueError", "InvalidArgumentError"]


def test_stop_all_ends_it_and_the_next_start_makes_a_new_one():
    assert run("""
        refs = [Echo.start() for _ in range(3)]
        ActorRegistry.stop_all()
        print(any(ref.is_alive() for ref in refs))
        ref = Echo.start()
        print(ref.ask("new"))
        ref.stop()
    """) == ["stopped", "stopped", "stopped", "False", "new", "stopped"]


def test_many_threads_may_start_and_stop_actors_there():
    assert run("""
        sys.setswitchinterval(1e-6)
        def work():
            for number in range(200):
                ref = Echo.start()
                assert ref.ask(number) == number
                ref.stop()
        Echo.on_stop = lambda self: None
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print("done")
    """) == ["done"]


def test_an_exit_in_an_actor_there_ends_its_actors_and_lets_the_process_end():
    said = run("""
        other, ref = Echo.start(), Echo.start()
        ref.tell(sys.exit)
        other.actor_stopped.wait(20)
        print("main")
    """)
    assert sorted(said) == ["main", "stopped"]


def test_a_start_inside_a_block_does_not_use_it():
    assert run("""
        with ActorSystem() as system:
            Echo.start()
            print(len(system.children()))
            print(any("default" in thread.name for thread in threading.enumerate()))
    """) == ["1", "False", "stopped"]


@pytest.mark.parametrize(("work", "stopped"), [("None", 3), ("'x'", 3), ("hang", 1)])
def test_a_process_that_never_shuts_its_system_down_stops_its_actors_and_ends(work, stopped):
    said = run(f"""
        async def idle():
            pass
        hanging = threading.Semaphore(0)
        def hang():
            hanging.release()
            threading.Event().wait()
        system = ActorSystem(workers=2)
        for kind in ("pool", "pinned", "calling_thread"):
            ref = system.spawn(type("Kind", (Echo,), {{"dispatcher": kind}}))
            if kind != "calling_thread":
                ref.tell({work})
                if {work} is hang:  # else it would stop before it takes the message
                    hanging.acquire()
        system.timers.after(3600, print)
        system.blocking.put_growing(threading.Event().wait, 3)
        system.event_loop.run(idle()).result()
        print("main")
    """)
    assert said == ["main", *["stopped"] * stopped]


def test_an_exit_code_given_in_an_actor_is_the_one_of_the_process():
    assert (
        run(
            """
        with ActorSystem() as system:
            system.spawn(Echo).tell(lambda: sys.exit(7))
        """,
            code=7,
        )
        == []
    )


def test_an_error_in_the_main_thread_still_lets_the_block_end():
    assert run(
        """
        with ActorSystem() as system:
            system.spawn(Echo)
            raise ValueError
        """,
        code=1,
    ) == ["stopped"]


def test_a_start_inside_a_logging_handler_waits_for_no_start_that_is_being_logged():
    assert run("""
        import logging
        reached = threading.Event()

        class Locked(logging.Handler):
            def filter(self, record):
                reached.set()
                return True
            def emit(self, record):
                pass

        handler = Locked()
        log = logging.getLogger("pykka")
        log.setLevel(logging.DEBUG)
        log.addHandler(handler)
        refs = []
        logged = threading.Thread(target=lambda: refs.append(Echo.start()), daemon=True)
        with handler.lock:  # as while a record is emitted
            logged.start()
            assert reached.wait(20)
            refs.append(Echo.start())
            print(refs[0].ask("inside"))
        logged.join()
        print(*[ref.ask("both") for ref in refs])
        until = time.monotonic() + 20  # two systems were made, one of them for nobody
        while sum(t.name == "default-actors-ender" for t in threading.enumerate()) > 1:
            assert time.monotonic() < until
        for ref in refs:
            ref.stop()
    """) == ["inside", "both", "both", "stopped", "stopped"]


def test_where_no_thread_is_left_to_keep_it_none_is_left_behind_and_the_next_start_works():
    assert run("""
        from actors_rs.testing.faults import threads_refused
        for _ in range(3):
            with threads_refused("default-actors-ender"):
                try:
                    Echo.start()
                except RuntimeError as error:
                    print("refused")
        print(threading.active_count(), len(ActorRegistry.get_all()))
        ref = Echo.start()
        print(ref.ask("new"))
        ref.stop()
    """) == [*["refused"] * 3, "1", "0", "new", "stopped"]
