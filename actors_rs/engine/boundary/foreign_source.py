"""from_publisher(publisher): a foreign Publisher as a source.

The stage has an inlet that no stage feeds: it subscribes when it starts, and passes on the elements
that it receives.
"""

from __future__ import annotations

from typing import Any, cast

from actors_rs.engine.boundary.subscriber_end import SubscriberEnd
from actors_rs.engine.member import Member
from actors_rs.engine.monitored import monitored_end
from actors_rs.protocol.interfaces import Publisher, Subscriber
from actors_rs.stages.operators.identity import Identity
from actors_rs.texts import class_name_of

__all__ = ["PublisherSource"]


class PublisherSource(Identity):
    """Subscribes to ``publisher`` once in each run."""

    def __init__(self, publisher: Publisher[Any]) -> None:
        super().__init__()
        self._publisher = publisher
        self.inlets = ()  # none that the blueprint knows of

    def start(self) -> None:
        self.inlets = (self.inlet,)
        self.inlet.window = self.window
        stage = cast(Member, self.context)
        end: Subscriber[Any] = SubscriberEnd(stage, self.inlet)
        if stage.scope.monitored:
            end = monitored_end(stage, class_name_of(self._publisher), end)
        self._publisher.subscribe(end)
