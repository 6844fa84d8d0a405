"""Benchmarks: how fast the package is, as ratios to what one would use instead.

``python -m stress.bench`` runs all of them, ``python -m stress.bench pipeline spark`` some. Each
file holds one benchmark: a function from a scale to figures. Begin with ``pipeline``. ``overhead``
has the benchmarks of what runs along, ``contestants`` what they compare with, ``measuring`` the
tools; ``workloads`` are the real jobs and ``curves`` shows how cost grows with size.
"""
