"""The standard's boundary: our stages as Publishers, Subscribers and Processors, foreign peers.

Begin with ``standard.py``; ``foreign.py`` serves a foreign Subscriber, ``subscriber_end.py`` takes
from a foreign Publisher, ``hub.py`` lets many subscribe to one run, also late. ``processes.py`` is
how a stage reaches worker processes. May import what ``engine`` may.
"""
