"""Death watch: an actor that watches another gets one ``Terminated`` when the other has ended.

A request to watch is a message in the mailbox of the watched actor. The mailbox delivers every
message to its actor, returns it when the actor ends, or refuses it. Each of these three leads to
one notice, so no notice is lost or doubled when watching and stopping race. A restart is no end.

A watcher whose own system is closing receives no notice. Its actors are about to stop, and a
watcher that starts replacements could only fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from pykka import ActorRef

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.actors.contract import RuntimeMessage
from actors_rs.runtime.actors.mailbox import Mailbox
from actors_rs.runtime.actors.pending import PendingMessage
from actors_rs.texts import repr_of, repr_of_fields

if TYPE_CHECKING:
    from actors_rs.runtime.actors.contract import ActorBase

__all__ = ["Terminated", "begin_watch", "end_all_watches", "end_watch", "tell_watchers"]


@dataclass(frozen=True, slots=True)
class Terminated:
    """The watched actor has ended for good and takes no more messages.

    ``ref`` is its reference. ``error`` is its failure; ``None`` if it was stopped, or had ended
    before the watch.

    >>> class Nurse(PooledActor):
    ...     def __init__(self, patient):
    ...         super().__init__()
    ...         self.patient = patient
    ...     def on_start(self):
    ...         self.watch(self.patient)
    ...     def on_receive(self, message):
    ...         if isinstance(message, Terminated):
    ...             print("ended:", message.error)
    >>> class Patient(PooledActor): ...
    >>> with ActorSystem() as system:
    ...     patient = system.spawn(Patient)
    ...     nurse = system.spawn(Nurse, patient)
    ...     stopped = nurse.ask("ready?"), patient.stop(timeout=5), nurse.ask("done?")
    ended: None
    """

    ref: ActorRef[Any]
    error: BaseException | None = None

    __repr__ = repr_of_fields


class _Watch(RuntimeMessage):
    __slots__ = ("watcher",)

    def __init__(self, watcher: ActorRef[Any]) -> None:
        self.watcher = watcher

    def receive(self, actor: ActorBase, /) -> None:
        if actor._watchers_ is None:
            actor._watchers_ = {}
        actor._watchers_[self.watcher.actor_urn] = _mailbox(self.watcher)

    def unread(self, actor: ActorBase, /) -> None:
        self.receive(actor)  # it tells its watchers when it has gone through its mailbox


class _Unwatch(RuntimeMessage):
    __slots__ = ("watcher",)

    def __init__(self, watcher: ActorRef[Any]) -> None:
        self.watcher = watcher

    def receive(self, actor: ActorBase, /) -> None:
        if actor._watchers_ is not None:
            actor._watchers_.pop(self.watcher.actor_urn, None)

    def unread(self, actor: ActorBase, /) -> None:
        self.receive(actor)


class _Notice(RuntimeMessage):
    """Brings a ``Terminated``; dropped by a watcher that has one already or unwatched.

    ``again`` one that failed on it gets it, although a fresh actor has asked for none. If that
    watches the same actor anew, this is the notice of that watch too.
    """

    __slots__ = ("again", "terminated")

    def __init__(self, terminated: Terminated, again: bool = False) -> None:
        self.terminated = terminated
        self.again = again

    def receive(self, actor: ActorBase, /) -> None:
        watching, urn = actor._watching_, self.terminated.ref.actor_urn
        watched = watching is not None and watching.pop(urn, None) is not None
        if not actor._system_.is_open:
            self.unread(actor)
        elif watched or self.again:
            retried = _Notice(self.terminated, again=True)
            try:
                made = actor.on_receive(self.terminated)
            except BaseException as error:
                actor._fail_(error, self.terminated, retried)
            else:
                if type(made) is CoroutineType:
                    actor._pending_ = PendingMessage(actor, made, self.terminated, retried)

    def unread(self, actor: ActorBase, /) -> None:
        if self.again:  # the message was being handled, and has failed an actor
            actor._return_unread_(self.terminated)


def begin_watch(watcher: ActorBase, ref: ActorRef[Any]) -> None:
    """Let ``watcher`` hear of the end of ``ref``, once; in the watcher's turn."""
    mailbox = _mailbox(ref)
    if ref == watcher.actor_ref:
        raise InvalidArgumentError(f"an actor cannot watch itself: {ref}")
    if watcher._watching_ is None:
        watcher._watching_ = {}
    if ref.actor_urn in watcher._watching_:
        return
    watcher._watching_[ref.actor_urn] = mailbox
    if not mailbox.offer_control(_Watch(watcher.actor_ref)):
        watcher.actor_inbox.offer(_Notice(Terminated(ref)))


def end_watch(watcher: ActorBase, ref: ActorRef[Any]) -> None:
    """``watcher`` hears of ``ref`` no more, also if the notice waits in its mailbox already."""
    if watcher._watching_ is not None and ref.actor_urn in watcher._watching_:
        watcher._watching_.pop(ref.actor_urn).offer_control(_Unwatch(watcher.actor_ref))


def end_all_watches(watcher: ActorBase) -> None:
    """``watcher`` has ended, if only to be restarted: nobody keeps it among their watchers."""
    watching, watcher._watching_ = watcher._watching_, None
    for mailbox in (watching or {}).values():
        mailbox.offer_control(_Unwatch(watcher.actor_ref))


def tell_watchers(actor: ActorBase, error: BaseException | None) -> None:
    """``actor`` has ended, with ``error`` or in peace; its last act."""
    for mailbox in (actor._watchers_ or {}).values():
        mailbox.offer(_Notice(Terminated(actor.actor_ref, error)))
    actor._watchers_ = None  # now: one who is interrupted tells them again


def _mailbox(ref: ActorRef[Any]) -> Mailbox:
    mailbox = getattr(ref, "actor_inbox", None)
    if not isinstance(mailbox, Mailbox):
        raise InvalidArgumentError(f"watch needs the ref of a PooledActor, got {repr_of(ref)}")
    return mailbox
