"""Names of a user's own in an actor break nothing, or are refused when its class is defined."""

import pytest

from actors_rs import ActorSystem, ChildSpec, PooledActor, Supervisor
from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.actors.actor_core import ActorCore

ORDINARY = sorted(
    {name.rstrip("_") for part in (PooledActor, ActorCore) for name in vars(part)}
    - {name for name in dir(PooledActor) if not name.startswith("_")}
    - set(vars(object))
    | {"_system", "_keeper", "_context", "_dispatcher", "_ref", "_watching", "_urn_number"}
    | {"_actor_ref", "_stop", "_handle_receive", "_handle_failure", "_actor_loop", "_envelope"}
    | {"system", "supervisor", "watch", "unwatch", "statistics", "stop", "child_slots", "name"}
)
ORDINARY = [name for name in ORDINARY if not name.startswith("__")]


def not_ours(self, *_):
    raise AssertionError("a method of the user's own was called")


def lives(kind, system, supervised):
    """Whether an actor of ``kind`` is asked, fails, is watched, and stops as any other."""
    if supervised:
        ref = system.supervise(Supervisor(children=[ChildSpec(kind)])).child(kind.__name__)
        ref.tell(ValueError("restarts it"))
    else:
        ref = system.spawn(kind)
    assert ref.ask("anything", timeout=10) == "anything"
    assert ref.stop(timeout=10) is True


def answers(self, message):
    if isinstance(message, Exception):
        raise message
    return message


@pytest.mark.parametrize("supervised", [False, True])
@pytest.mark.parametrize("name", ORDINARY)
def test_a_method_of_any_ordinary_name_is_the_users_own(name, supervised):
    kind = type("Mine", (PooledActor,), {"on_receive": answers, name: not_ours})
    with ActorSystem(workers=1) as system:
        lives(kind, system, supervised)


@pytest.mark.parametrize("supervised", [False, True])
@pytest.mark.parametrize("name", ORDINARY)
def test_a_field_of_any_ordinary_name_is_the_users_own(name, supervised):
    class Mine(PooledActor):
        on_receive = answers

        def __init__(self):
            super().__init__()
            setattr(self, name, "mine")

        def on_stop(self):
            assert getattr(self, name) == "mine"

    with ActorSystem(workers=1) as system:
        lives(Mine, system, supervised)
        assert system.dead_letters.total == supervised


@pytest.mark.parametrize(
    "name", ["_turn_", "_system_", "_supervisor_link_", "actor_inbox", "actor_ref"]
)
def test_a_name_that_every_actor_needs_is_refused_when_the_class_is_defined(name):
    with pytest.raises(InvalidArgumentError, match=f"class Mine: '{name}' cannot be defined"):
        type("Mine", (PooledActor,), {name: 1})
    mixin = type("Mixin", (), {name: 1})
    with pytest.raises(InvalidArgumentError, match="by Mixin"):
        type("Mine", (mixin, PooledActor), {})


def test_an_actor_that_is_false_or_equal_to_all_is_an_actor():
    class Odd(PooledActor):
        on_receive = answers

        def __len__(self):
            return 0

        def __eq__(self, other):
            return True

        def __hash__(self):
            return 1

    with ActorSystem(workers=1) as system:
        lives(Odd, system, supervised=False)
        lives(Odd, system, supervised=True)
        assert [letter.why for letter in system.dead_letters.recent()] == ["the actor failed"]
