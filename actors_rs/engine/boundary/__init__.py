"""The standard's boundary: our stages as Publishers, Subscribers and Processors, foreign peers.

Begin with ``standard.py``. ``foreign.py`` serves a foreign Subscriber, ``fan_out.py`` several of
one outlet. ``subscriber_end.py`` takes from a foreign Publisher, ``foreign_source.py`` is one as a
source. ``hub.py`` lets many subscribe to one run, also late: it decides who subscribes to the
stages of ``stages/hubs``. Imports modules of ``engine``, ``run/run.py``, ``graph``, ``stages``,
``runtime`` and ``protocol``.
"""
