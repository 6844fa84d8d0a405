"""An actor that watches others, and a race of watching against stopping."""

import threading

from actors_rs import ActorSystem
from actors_rs.runtime.actors.watch import Terminated
from tests.runtime.support import Recorder, behind, eventually


class Watcher(Recorder):
    """A recorder that can be told what to watch."""

    def on_receive(self, message):
        if isinstance(message, tuple):
            getattr(self, message[0])(message[1])
            return None
        return super().on_receive(message)


def seen_by(ref):
    return ref.ask(lambda: list(behind(ref).seen))


def race_watch_and_stop(rounds, together=250):
    """How many notices ``rounds`` watches gave that race the end of what they watch."""
    total = 0
    with ActorSystem(workers=2) as system:
        watcher = system.spawn(Watcher)
        for _ in range(rounds // together):
            watched = [system.spawn(Recorder) for _ in range(together)]
            stopping = threading.Thread(target=lambda all_=watched: [r.stop() for r in all_])
            stopping.start()
            for ref in watched:
                watcher.tell(("watch", ref))
            stopping.join(60)
            urns = {ref.actor_urn for ref in watched}
            eventually(lambda: len(behind(watcher).seen) >= together)
            heard: list[Terminated] = seen_by(watcher)
            assert len(heard) == together
            assert {one.ref.actor_urn for one in heard} == urns
            total += len(heard)
            watcher.ask(lambda: behind(watcher).seen.clear())
    return total
