"""Tools for checking streams: the conformance kit, probes, and violators of each rule.

Nothing else in the package imports this one. Its parts are imported by name:
``actors_rs.testing.tck``, ``actors_rs.testing.probes``, ``actors_rs.testing.reference`` and
``actors_rs.testing.misbehaving``.
"""
