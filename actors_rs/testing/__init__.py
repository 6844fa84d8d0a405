"""Tools for checking streams: the conformance kit, probes, and violators of each rule.

Nothing else in the package imports this one. Its parts are imported by name:
``actors_rs.testing.tck``, ``actors_rs.testing.probes``, ``actors_rs.testing.reference``,
``actors_rs.testing.misbehaving``, ``actors_rs.testing.faults`` and ``actors_rs.testing.leaks``.
"""
