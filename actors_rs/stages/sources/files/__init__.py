"""Sources that read files and databases, one a file: ``Source.csv`` is in ``csv.py``.

Begin with ``lines``. ``files`` finds paths, ``parquet_files`` is a part of ``parquet``: the files
of a data set. ``stages.files`` has the parts that sinks need, too. Imports ``source`` of ``stages``
and ``stages/files``.
"""
