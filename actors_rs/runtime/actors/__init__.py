"""Actors: the class that users subclass, its reference, mailbox, futures and proxies.

Begin with ``actor`` (the class) and ``actor_core`` (its life, turn by turn). ``contract`` says what
actor, system and supervisor may ask of each other.

- Reach an actor: ``address``, ``actor_ref``, ``proxy``, ``registry``, ``delayed`` (messages later).
- Messages: ``mailbox`` (the queue and its rules), ``unread`` (left at the actor's end).
- Wait: ``future``, ``late_answer`` (its error), ``pending`` (coroutines of handlers), ``awaiting``
  and ``may_wait`` (threads that must not wait), ``watch`` (another actor's end).
- Details: ``actor_class`` (checks of definitions), ``slow_turns``, ``stop_flag``.

Imports ``dispatch``, ``dead_letters``, the modules of ``runtime``, ``supervision/supervisor_ref``,
and of ``system`` the modules ``statistics``, ``exit``, ``guardian`` and, in ``PooledActor.start``,
``default_system``. Knows ``ActorSystem`` as a type only.
"""
