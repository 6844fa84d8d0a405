"""A subscriber that asks for elements when the scenario says so, and keeps when each came."""

from typing import Any

from actors_rs.testing.world import World


class ByHand:
    """Subscribed to ``flow`` at once; nothing is asked for before ``ask``."""

    def __init__(self, world: World, flow: Any) -> None:
        self.world, self.asked = world, 0
        self.came: list[tuple[Any, float]] = []
        self.end: object = None
        self.subscription: Any = None
        world.system.publisher(flow).subscribe(self)
        world.settle()

    @property
    def elements(self) -> list[Any]:
        return [element for element, _ in self.came]

    def ask(self, n: int) -> None:
        """Ask for ``n`` more, and let all happen that can without time moving."""
        self.asked += n
        self.subscription.request(n)
        self.world.settle()

    def on_subscribe(self, subscription: Any) -> None:
        self.subscription = subscription

    def on_next(self, element: Any) -> None:
        self.came.append((element, self.world.now))
        assert len(self.came) <= self.asked, f"{self.asked} were asked for, {element!r} came"

    def on_error(self, error: BaseException) -> None:
        self.end = error

    def on_complete(self) -> None:
        self.end = "complete"
