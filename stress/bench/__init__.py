"""Benchmarks: how fast the package is, as ratios to what one would use instead.

``python -m stress.bench`` runs all of them, ``python -m stress.bench pipeline spark`` some. Each
file holds one benchmark: a function from a scale to figures.
"""
