"""Every public name has an example in a docstring. Later tests plant names without one."""

from importlib import import_module

import pytest

from tests.conventions.arguments import public_things
from tests.conventions.examples import without_example
from tests.conventions.style import FACES

OF_THE_PACKAGE = "for other modules of the package, not for users"
OF_CHILDREN = "a supervisor takes no messages of users; its children have the same method"
OF_STAGES = "for stages, not for users"
OF_OWN_STAGES = "for stages of your own, which an example of @operator shows"
EXCEPTIONS = {
    "actors_rs.ActorSystem.adopt": OF_THE_PACKAGE,
    "actors_rs.ActorSystem.context": OF_THE_PACKAGE,
    "actors_rs.ActorSystem.dispatcher_for": OF_THE_PACKAGE,
    "actors_rs.ActorSystem.enter": OF_THE_PACKAGE,
    "actors_rs.ActorSystem.fatal": OF_THE_PACKAGE,
    "actors_rs.ActorSystem.forget": OF_THE_PACKAGE,
    "actors_rs.ActorSystem.note_abandoned": OF_THE_PACKAGE,
    "actors_rs.ActorSystem.register": OF_THE_PACKAGE,
    "actors_rs.ActorSystem.stop_soon": OF_THE_PACKAGE,
    "actors_rs.ActorSystem.unregister": OF_THE_PACKAGE,
    "actors_rs.Backoff.drawn": OF_THE_PACKAGE,
    "actors_rs.Flow.then": OF_OWN_STAGES,
    "actors_rs.Group.then": OF_OWN_STAGES,
    "actors_rs.KillSwitch.error": OF_STAGES,
    "actors_rs.KillSwitch.unwatch": OF_STAGES,
    "actors_rs.KillSwitch.used": OF_STAGES,
    "actors_rs.KillSwitch.watch": OF_STAGES,
    "actors_rs.OneForAll.affected": OF_THE_PACKAGE,
    "actors_rs.OneForAll.first_affected": OF_THE_PACKAGE,
    "actors_rs.OneForOne.affected": OF_THE_PACKAGE,
    "actors_rs.OneForOne.first_affected": OF_THE_PACKAGE,
    "actors_rs.PooledActor.statistics": "the figures of the actor's system have an example",
    "actors_rs.PooledActor.supervisor": "SupervisorRef has an example",
    "actors_rs.PooledActor.unwatch": "the end of watch, which Terminated shows",
    "actors_rs.PooledActor.watch": "Terminated has an example",
    "actors_rs.Processor.on_complete": "Subscriber has an example",
    "actors_rs.Processor.on_error": "Subscriber has an example",
    "actors_rs.Processor.on_next": "Subscriber has an example",
    "actors_rs.Processor.on_subscribe": "Subscriber has an example",
    "actors_rs.RateLimit.give_back": OF_STAGES,
    "actors_rs.RateLimit.level": OF_STAGES,
    "actors_rs.RateLimit.reserve": OF_STAGES,
    "actors_rs.RateLimit.take": OF_STAGES,
    "actors_rs.RateLimit.take_costs": OF_STAGES,
    "actors_rs.RateLimit.unwatch": OF_STAGES,
    "actors_rs.RateLimit.wait": OF_STAGES,
    "actors_rs.RateLimit.watch": OF_STAGES,
    "actors_rs.RestForOne.affected": OF_THE_PACKAGE,
    "actors_rs.RestForOne.first_affected": OF_THE_PACKAGE,
    "actors_rs.Sink.behind": OF_OWN_STAGES,
    "actors_rs.Sink.start_on": "always raises",
    "actors_rs.SourceQueue.close": OF_STAGES,
    "actors_rs.SourceQueue.connect": OF_STAGES,
    "actors_rs.SourceQueue.disown": OF_STAGES,
    "actors_rs.SourceQueue.drain": OF_STAGES,
    "actors_rs.SourceQueue.end": OF_STAGES,
    "actors_rs.SourceQueue.figures": OF_STAGES,
    "actors_rs.SourceQueue.take": OF_STAGES,
    "actors_rs.StopSignals.disown": OF_THE_PACKAGE,
    "actors_rs.StopSignals.exit_code": OF_THE_PACKAGE,
    "actors_rs.StopSignals.release": OF_THE_PACKAGE,
    "actors_rs.StopSignals.take": OF_THE_PACKAGE,
    "actors_rs.SupervisorRef.actor_urn": OF_CHILDREN,
    "actors_rs.SupervisorRef.ask_async": OF_CHILDREN,
    "actors_rs.SupervisorRef.proxy": OF_CHILDREN,
    "actors_rs.SupervisorRef.tell": OF_CHILDREN,
    "actors_rs.SupervisorRef.tell_after": OF_CHILDREN,
    "actors_rs.SupervisorRef.tell_every": OF_CHILDREN,
    "actors_rs.delivery.Ledger.check": OF_THE_PACKAGE,
    "actors_rs.delivery.Ledger.open": OF_THE_PACKAGE,
}
"""Names that need no example, and why."""


def test_every_public_name_has_an_example():
    things = public_things([import_module(face) for face in FACES])
    said = {one for name, thing in things.items() for one in without_example(name, thing)}
    assert sorted(said - EXCEPTIONS.keys()) == []
    assert sorted(EXCEPTIONS.keys() - said) == [], "no longer needed"


class Shown:
    """Has an example.

    >>> Shown().paint()
    """

    def paint(self):
        """Paint it."""

    def wash(self):
        """Wash it.

        >>> Shown().wash()
        """

    def _hidden(self):
        """Nobody sees it."""


class Half(Shown):
    """Has no example."""

    def dry(self):
        """Dry it."""


class Factories:
    """Its methods have examples."""

    @staticmethod
    def make():
        """Make one.

        >>> Factories.make()
        """


def silent():
    """Do it."""


@pytest.mark.parametrize(
    ("thing", "missing"),
    [
        (Shown, []),
        (Half, ["it.dry", "it.paint"]),
        (Factories, []),
        (silent, ["it"]),
        (Shown.wash, []),
        (OSError, []),
        (type("Empty", (), {"__doc__": "Has nothing."}), ["it"]),
    ],
)
def test_a_planted_name_without_an_example_is_found(thing, missing):
    assert without_example("it", thing) == missing
