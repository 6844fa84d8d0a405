"""Actors: the class that users subclass, its reference, mailbox, futures and proxies.

Begin with ``actor`` (the class) and ``actor_core`` (its life, turn by turn); ``mailbox`` has the
queue and its rules. May import ``dispatch``, ``dead_letters`` and the seam; knows a system and a
supervisor as types only.
"""
