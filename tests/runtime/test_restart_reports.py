# mypy: disable-error-code="no-untyped-def, var-annotated, override, arg-type"
"""Restarts of actors in the log, the events and the statistics."""

import logging

import pytest

from actors_rs import ActorSystem, Backoff, ChildSpec, OneForOne, RestForOne, Supervisor
from actors_rs.testing.world import World
from tests.runtime.family import Noting, noting
from tests.runtime.support import eventually

SOME = Backoff(0.1, 0.1, jitter=0)


def supervise(world, rule, names="a"):
    return world.system.supervise(Supervisor(rule, noting(names, []), name="top"))


def fail(world, ref, error):
    ref.tell(error)
    world.sleep(1)


def test_an_event_says_which_restart_of_how_many_it_is():
    with World() as world:
        events = []
        top = supervise(world, OneForOne(max_restarts=5, within=60.0, backoff=SOME))
        world.system.events.listen(events.append)
        errors = [ValueError("first"), KeyError("second")]
        for error in errors:
            fail(world, top.child("a"), error)
        assert [event.fields["restarts"] for event in events] == [1, 2]
        event, ref = events[-1], top.child("a")
    assert (event.name, event.error, event.source) == ("actor_restarted", errors[1], ref)
    assert (event.run, event.run_id) == ("", 0)
    assert event.fields == {
        "actor": "top/a",
        "restarts": 2,
        "max_restarts": 5,
        "wait_seconds": 0.1,
    }


def test_the_event_is_a_line_of_the_log_without_a_run(caplog):
    with World() as world, caplog.at_level(logging.INFO, "actors_rs.events"):
        fail(world, supervise(world, OneForOne(backoff=SOME)).child("a"), ValueError("bad line"))
    assert [one.getMessage() for one in caplog.records if one.name == "actors_rs.events"] == [
        "actor_restarted actor=top/a restarts=1 max_restarts=3 wait_seconds=0.1 "
        "error=bad line error_type=ValueError"
    ]


def test_statistics_count_every_actor_that_was_replaced():
    with World() as world:
        top = supervise(world, RestForOne(backoff=SOME), "abc")
        world.settle()
        assert world.system.statistics().restarts == 0
        fail(world, top.child("b"), ValueError())
        assert world.system.statistics().restarts == 2  # b and c
        assert [top.child(name).statistics().restarts for name in "abc"] == [0, 1, 1]


def test_the_restart_of_an_actor_that_was_taken_over_counts():
    with World() as world:
        top = supervise(world, OneForOne(backoff=SOME))
        spare = world.spawn(Noting, "spare", [])
        top.supervise(spare, args=("spare", []), name="spare")
        world.settle()
        fail(world, spare, ValueError())
        assert spare.statistics().restarts == world.system.statistics().restarts == 1


def test_a_reference_tells_the_state_of_its_actor():
    with World() as world:
        top = supervise(world, OneForOne(backoff=Backoff(1, 1, jitter=0)))
        ref = top.child("a")
        world.settle()
        assert ref.statistics().state == "running"
        ref.tell(ValueError())
        ref.tell("waits")
        world.sleep(0.5)
        seen = ref.statistics()
        assert (seen.state, seen.mailbox.data, seen.restarts) == ("down", 1, 0)
        top.stop_child("a", block=False)
        world.sleep(1)
        assert ref.statistics().state == "stopped"
        assert ref.statistics().name == str(ref)


def test_a_child_that_was_never_made_is_down():
    class Broken(Noting):
        def __init__(self):
            raise ValueError("no file")

    with World() as world:
        rule = OneForOne(backoff=Backoff(5, 5))
        ref = world.system.supervise(Supervisor(rule, [ChildSpec(Broken)])).child("Broken")
        world.sleep(1)
        assert (ref.statistics().state, ref.statistics().dispatcher) == ("down", "pool")


def test_the_log_has_one_traceback_a_minute_for_each_class_of_errors(caplog):
    with World() as world, caplog.at_level(logging.ERROR, "actors_rs.runtime"):
        top = supervise(world, OneForOne(max_restarts=9, backoff=SOME))
        for error in (ValueError(1), ValueError(2), KeyError(3), ValueError(4)):
            fail(world, top.child("a"), error)
        world.sleep(60)
        fail(world, top.child("a"), ValueError(5))
    lines = [one for one in caplog.records if one.name == "actors_rs.runtime"]
    assert [one.exc_info is not None for one in lines] == [True, False, True, False, True]
    short = lines[1].getMessage().splitlines()
    assert short[0].startswith("Unhandled exception in Noting 'top/a' (urn:")
    assert short[0].endswith("): ValueError: 2")
    assert short[-1].strip() == "raise message"
    assert lines[1].__dict__["error"].args == (2,)


def test_the_traceback_in_the_log_begins_in_the_users_code(caplog):
    with World() as world, caplog.at_level(logging.ERROR, "actors_rs.runtime"):
        world.spawn(Noting, "a", []).tell(ValueError("bad line"))
        world.settle()
    [text] = [one.exc_text for one in caplog.records if one.name == "actors_rs.runtime"]
    assert text.count("File ") == 1
    assert "in on_receive" in text


def test_at_debug_every_failure_has_its_traceback(caplog):
    with World() as world, caplog.at_level(logging.DEBUG, "actors_rs.runtime"):
        top = supervise(world, OneForOne(backoff=SOME))
        for n in range(2):
            fail(world, top.child("a"), ValueError(n))
    full = [one for one in caplog.records if one.getMessage().endswith(", in full:")]
    assert [one.exc_info[1].args for one in full] == [(1,)]


@pytest.mark.parametrize("path", ["top", "top/inner"])
def test_a_supervisor_has_its_path_in_the_log(path):
    with ActorSystem() as system:
        top = system.supervise(Supervisor(OneForOne(), [Supervisor(name="inner")], name="top"))
        ref = top if path == "top" else top.child("inner")
        eventually(lambda: ref.statistics().state == "running")
        assert ref.statistics().name == f"SupervisorActor '{path}' ({ref.actor_urn})"
