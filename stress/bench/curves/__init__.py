"""How cost grows with size: ``python -m stress.bench.curves`` draws ``docs/pictures/curves``.

Begin with ``shapes.py``, which measures one point of each curve, in a process of its own;
``plot.py`` draws. The rest of the benchmarks knows nothing of this folder.
"""
