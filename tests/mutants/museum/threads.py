"""Bugs of the few places that have threads: one that looks, one that acts in between."""

from tests.mutants.mutant import Edit, Mutant


def racing(name: str, breaks: str, where: str, old: str, new: str, model: str) -> Mutant:
    return Mutant(name, breaks, (Edit(f"actors_rs.runtime.{where}", old, new),), model=model)


MAILBOX = "actors.mailbox:Mailbox"
LOCKED_LOOK = (
    "        with self._lock:\n            if self._closed:\n                return False\n"
)
EARLY_LOOK = "        if self._closed:\n            return False\n        with self._lock:\n"

MUTANTS = (
    racing(
        "the schedule-once bit is looked at, then set",
        "two who put into an idle mailbox both schedule a turn",
        f"{MAILBOX}.offer",
        "            if self._scheduled:\n                return True\n            self._scheduled",
        "        if self._scheduled:\n            return True\n"
        "        if True:\n            self._scheduled",
        "two tellers",
    ),
    racing(
        "a turn ends while somebody puts",
        "what is put between the last look into a mailbox and the end of the turn gets no turn",
        f"{MAILBOX}.end_turn",
        "lock = self._lock",
        "lock = RLock()",
        "two tellers",
    ),
    racing(
        "a put after the final drain",
        "whether a mailbox is closed is looked at before the lock is taken (pykka looks whether"
        " its actor is alive, and puts then)",
        f"{MAILBOX}.offer",
        LOCKED_LOOK,
        EARLY_LOOK,
        "a teller and a stop",
    ),
    racing(
        "a request after the final drain",
        "the lane of requests and cancellations takes a message of a mailbox that is closed",
        f"{MAILBOX}.offer_control",
        LOCKED_LOOK,
        EARLY_LOOK,
        "a request and a stop",
    ),
    racing(
        "a mailbox closed without its lock",
        "what is put while a mailbox is emptied for the last time is lost",
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
        "whoever hands in a job looks who sleeps before the job can be seen",
        "dispatch.job_queue:JobQueue.put",
        "self._jobs.append(job)\n    self.enqueued()",
        "sleepers = bool(self._sleepers)\n    self._jobs.append(job)\n"
        "    if sleepers:\n        self.wake()",
        "a job and a thread that lies down",
    ),
    racing(
        "a timer cancelled while it fires",
        "a timer that is about to fire calls what a cancellation has taken away",
        "dispatch.timers:Timer.fire",
        "callback, self._callback = self._callback, None\n    if callback is not None:\n"
        "        callback()",
        "if self._callback is not None:\n        self._callback()",
        "a timer that fires and is cancelled",
    ),
    racing(
        "a timer behind the end",
        "a timer that is set while the timers end is kept for ever",
        "dispatch.timers:Timers.after",
        "    with self._lock:\n        if self._closed:\n            return timer\n",
        "    if self._closed:\n        return timer\n    with self._lock:\n",
        "timers that end",
    ),
    racing(
        "a rate used twice",
        "two streams that share a rate both pass on what is left of it",
        "rate.rate_limit:RateLimit.take",
        "with self._lock:",
        "if True:",
        "two who share a rate",
    ),
    racing(
        "two answers",
        "whether a question has been answered is looked at, and then it is answered",
        "actors.future:PooledFuture._claim_or_raise",
        "if not self._claim.acquire(blocking=False):",
        "if self._done:",
        "two who answer",
    ),
)
