"""Tools for checking streams: the conformance kit, probes, worlds, faults, violators of each rule.

Nothing else in the package imports this one. Its parts are imported by name:
``actors_rs.testing.tck``, ``actors_rs.testing.probes``, ``actors_rs.testing.world``,
``actors_rs.testing.explore``, ``actors_rs.testing.faults``, ``actors_rs.testing.leaks``,
``actors_rs.testing.reference`` and ``actors_rs.testing.misbehaving``.
"""
