"""What streams share and no system owns, in a child that is forked while a thread is inside it."""

import pytest

from tests.runtime.processes import run

CHILD = """
from actors_rs import KillSwitch, RateLimit

def in_child_while_a_thread_is_inside(shared, work):
    held, over = threading.Event(), threading.Event()
    def hold():
        with shared._lock, getattr(shared, "_listeners", shared)._lock:
            held.set()
            over.wait()
    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    say(in_child(work))
    over.set()
    holder.join()
"""


def test_a_child_has_a_rate_limit_of_its_own_and_it_is_full():
    lines, _ = run(
        CHILD
        + """
limit = RateLimit(3, per=3600, burst=2)
say(limit.take(5, 0.0))
limit.reserve(2, 0.0)
def work():
    say(limit.take(5, 0.0))
    limit.change(burst=4)
    with ActorSystem() as mine:
        say(mine.start(Source.range(0, 2).throttle(RateLimit(1000)).to(Sink.sum())).result(20))
        going = mine.start(Source.range(0, 9).throttle(limit).to(Sink.sum()))
        limit.change(1_000_000, per=1)
        say(going.result(20))
in_child_while_a_thread_is_inside(limit, work)
say(limit.take(5, 0.0))
"""
    )
    assert lines == ["2", "2", "1", "36", "0", "0"]


def test_a_child_can_use_a_kill_switch_which_is_as_used_as_it_was():
    lines, _ = run(
        CHILD
        + """
switch = KillSwitch()
def work():
    say(switch.state)
    with ActorSystem() as mine:
        going = mine.start(Source.never().kill_switch(switch).to(Sink.list()))
        switch.shutdown()
        say(switch.state, going.result(20))
with ActorSystem() as system:
    going = system.start(Source.never().kill_switch(switch).to(Sink.list()))
    in_child_while_a_thread_is_inside(switch, work)
    say(going.state)
    switch.shutdown()
in_child_while_a_thread_is_inside(switch, lambda: say(switch.state))
"""
    )
    assert lines == ["open", "shut_down []", "0", "running", "shut_down", "0"]


@pytest.mark.parametrize("begun", [False, True])
def test_a_child_can_run_a_merge_hub_unless_its_stream_goes_on_in_the_parent(begun):
    lines, _ = run(
        CHILD
        + f"""
hub = Source.merge_hub()
early = hub.attach(Source.of(1))
def work():
    early.cancel()
    hub.close()
    with ActorSystem() as mine:
        say(mine.start(hub.source.to(Sink.list())).result(20))
with ActorSystem() as system:
    if {begun}:
        going = system.start(hub.source.to(Sink.list()))
        in_child_while_a_thread_is_inside(hub, lambda: hub.attach(Source.of(2)))
        hub.close()
        say(going.result(20))
    else:
        in_child_while_a_thread_is_inside(hub, work)
"""
    )
    refusal = (
        "IllegalStateError: <MergeHub 'merge_hub' open> takes no more streams: its stream has ended"
    )
    assert lines == ([refusal, "1", "[1]"] if begun else ["[]", "0"])
