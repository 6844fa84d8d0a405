"""What works in a system works in a world: waiting on a thread of one's own, a limit in use."""

from actors_rs import ActorSystem, PooledActor, RateLimit, Sink, Source
from actors_rs.testing.explore import Plan, check_scenario
from actors_rs.testing.world import World


class Doubling(PooledActor):
    def on_receive(self, message):
        return 2 * message


class Asking(PooledActor):
    dispatcher = "pinned"

    def __init__(self, other):
        super().__init__()
        self.other = other

    def on_receive(self, message):
        return self.other.ask(message) + 1


def test_a_pinned_actor_asks_in_a_world():
    def scenario(world):
        asking = world.spawn(Asking, world.spawn(Doubling))
        answers = [asking.ask(n, block=False) for n in range(3)]
        assert [answer.get() for answer in answers] == [1, 3, 5]

    check_scenario(scenario, Plan(runs=300))


def test_a_limit_that_a_system_has_used_serves_a_world():
    limit = RateLimit(1000)
    graph = Source.range(0, 40).throttle(limit).to(Sink.list())
    with ActorSystem() as system:
        system.start(graph).result()
    with World() as world:
        assert world.start(graph).result() == list(range(40))
