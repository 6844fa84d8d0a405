"""Sources that read files and databases, one a file: ``Source.csv`` is in ``csv.py``.

Begin with ``lines``. ``parquet_files`` is a part of ``parquet``: the files of a data set.
``stages.files`` has the parts that sinks need, too. May import what other sources may import.
"""
