"""Bugs of the few places that have threads: one that looks, one that acts in between."""

from tests.mutants.mutant import Edit, Mutant


def racing(name: str, breaks: str, where: str, old: str, new: str, model: str) -> Mutant:
    return Mutant(name, breaks, (Edit(f"actors_rs.runtime.{where}", old, new),), model=model)


MAILBOX = "actors.mailbox:Mailbox"
LOOK = "if self._open_lanes < {}:"
LOCKED_LOOK = f"        with self._lock:\n            {LOOK}\n                return False\n"
EARLY_LOOK = f"        {LOOK}\n            return False\n        with self._lock:\n"

MUTANTS = (
    racing(
        "the schedule-once bit is looked at, then set",
        "two senders to an idle mailbox both schedule a turn",
        f"{MAILBOX}.offer",
        "            if self._scheduled:\n                return True\n            self._scheduled",
        "        if self._scheduled:\n            return True\n"
        "        if True:\n            self._scheduled",
        "two tellers",
    ),
    racing(
        "a turn ends during a put",
        "a message between the last look into a mailbox and the end of the turn gets no turn",
        f"{MAILBOX}.end_turn",
        "lock = self._lock",
        "lock = RLock()",
        "two tellers",
    ),
    racing(
        "a put after the final drain",
        "a mailbox is checked for its end before the lock is taken, as pykka checks its actor",
        f"{MAILBOX}.offer",
        LOCKED_LOOK.format("BOTH"),
        EARLY_LOOK.format("BOTH"),
        "a teller and a stop",
    ),
    racing(
        "a request after the final drain",
        "the control lane takes a message of a closed mailbox",
        f"{MAILBOX}.offer_control",
        LOCKED_LOOK.format("CONTROL_ALONE"),
        EARLY_LOOK.format("CONTROL_ALONE"),
        "a request and a stop",
    ),
    racing(
        "a mailbox closed without its lock",
        "a message that comes while a mailbox is emptied for the last time is lost",
        f"{MAILBOX}.close",
        "with self._lock:",
        "if True:",
        "a teller and a stop",
    ),
    racing(
        "a thread lies down beside a job",
        "a thread that registers as asleep does not look for jobs once more",
        "dispatch.job_queue:JobQueue.get",
        "if self._jobs:",
        "if False:",
        "a job and a thread that lies down",
    ),
    racing(
        "sleepers are looked for first",
        "the sender of a job looks for sleepers before the job can be seen",
        "dispatch.job_queue:JobQueue.put",
        "self._jobs.append(job)\n    self.enqueued()",
        "sleepers = bool(self._sleepers)\n    self._jobs.append(job)\n"
        "    if sleepers:\n        self.wake()",
        "a job and a thread that lies down",
    ),
    racing(
        "a timer cancelled while it fires",
        "a timer that is about to fire calls a function that a cancellation has removed",
        "dispatch.timers:Timer.fire",
        "callback, self._callback = self._callback, None\n    if callback is not None:\n"
        "        callback()",
        "if self._callback is not None:\n        self._callback()",
        "a timer that fires and is cancelled",
    ),
    racing(
        "a timer after the end",
        "a timer that is set while the timers end is kept for ever",
        "dispatch.timers:Timers.after",
        "    with self._lock:\n        if self._closed:\n            return timer\n",
        "    if self._closed:\n        return timer\n    with self._lock:\n",
        "timers that end",
    ),
    racing(
        "a rate used twice",
        "two streams that share a rate both use the rest of it",
        "rate.rate_limit:RateLimit.take",
        "with self._lock:",
        "if True:",
        "two who share a rate",
    ),
    racing(
        "two answers",
        "a question is checked for an answer first, and answered then",
        "actors.future:PooledFuture._claim_or_raise",
        "if not self._claim.acquire(blocking=False):",
        "if self._done:",
        "two who answer",
    ),
)
