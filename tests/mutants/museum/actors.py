"""Bugs of actors: mailboxes, questions, restarts, watches, the end of a system."""

from tests.mutants.mutant import Edit, Mutant, mutant

CHILD = "runtime.supervision.supervised:Child"
SUPERVISOR = "runtime.supervision.supervisor:SupervisorActor"

MUTANTS = (
    mutant(
        "questions left in the mailbox are forgotten",
        "messages after an actor's last look are neither answered nor reported, as in pykka",
        "runtime.actors.unread:return_all_unread",
        "actor._return_unread_(message)",
        "message",
        "actors/every question is answered",
        "actors/every message is handled or reported",
    ),
    mutant(
        "a restart loses the mailbox",
        "messages that wait while an actor is restarted are dropped",
        f"{CHILD}.report",
        "if not self.home.offer(Down(self, self.ended_serial)):",
        "self.actor_inbox._all_data()\n    if not self.home.offer(Down(self, self.ended_serial)):",
        "actors/a restarted actor keeps its mailbox",
    ),
    mutant(
        "restarts are not counted",
        "an actor that fails again and again is restarted for ever",
        "runtime.supervision.intensity:Intensity.allows",
        "if len(restarts) >= self.max_restarts:",
        "if len(restarts) > self.max_restarts + 99:",
        "actors/too many restarts",
    ),
    mutant(
        "restarts are never forgotten",
        "waits count as time without a failure, so the limit is never reached",
        "runtime.supervision.intensity:Intensity.allows",
        "moment = now - self._waited",
        "moment = now + self._waited * 1000",
        "actors/too many restarts",
    ),
    mutant(
        "children stop in the order of their start",
        "a supervisor stops its children from the first one on",
        f"{SUPERVISOR}._advance",
        "child = self._to_stop[-1]",
        "self._to_stop.rotate(-1); child = self._to_stop[-1]",
        "actors/all together",
    ),
    mutant(
        "a supervisor ends before its children",
        "a supervisor that stops does not wait for its children",
        f"{SUPERVISOR}._advance",
        "if self._stopping or self._ended:",
        "if self._ended:",
        "actors/a tree stops from its leaves",
    ),
    mutant(
        "a child that is restarted alone",
        "a child that fails is restarted without the children that depend on it",
        f"{SUPERVISOR}._widen_round",
        "self._to_stop.extendleft(one for one in reversed(before) if one.alive)",
        "self._to_stop.clear()",
        "actors/all together",
    ),
    Mutant(
        "an end is heard twice",
        "an actor that watches twice receives the end twice",
        (
            Edit(
                "actors_rs.runtime.actors.watch:begin_watch",
                "if ref.actor_urn in watcher._watching_:",
                "if not watcher._watching_:",
            ),
            Edit(
                "actors_rs.runtime.actors.watch:_Notice.receive",
                "watching.pop(urn, None) is not None",
                "urn in watching",
            ),
        ),
        ("actors/an end is heard once",),
    ),
    mutant(
        "an end before the watch is never heard",
        "an actor that watches one that has ended waits for ever",
        "runtime.actors.watch:begin_watch",
        "watcher.actor_inbox.offer(_Notice(Terminated(ref)))",
        "watcher.actor_inbox.empty()",
        "actors/an end is heard once",
    ),
    mutant(
        "a shutdown that waits for itself",
        "readers of the dead letters are waited for before the dead letters end",
        "runtime.system.shutdown:Shutdown._go_through_phases",
        "if a not in observers]",
        "if a]",
        "actors/a shutdown drains",
    ),
    mutant(
        "a shutdown that throws away",
        "a system that should drain drops the elements in flight",
        "runtime.system.shutdown:Shutdown._go_through_phases",
        "activity.drain() if self._drain else activity.cancel(self._grace(1.0))",
        "activity.cancel()",
        "actors/a shutdown drains",
    ),
    mutant(
        "actors stop before their turn",
        "a system that ends stops its actors in the order of their start",
        "runtime.system.shutdown:Shutdown._await_all_but",
        "left = [a for a in system.children()",
        "left = [a for a in reversed(system.children())",
        "actors/actors stop in order",
    ),
    mutant(
        "a turn ends with its mailbox unread",
        "messages beyond the throughput of a turn are dropped",
        "runtime.actors.actor_core:ActorCore._turn_",
        "elif inbox.end_turn(again):",
        "elif inbox._all_data() is not None and inbox.end_turn(again):",
        "actors/a long mailbox",
        "linear/chain",
    ),
)
