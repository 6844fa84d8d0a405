"""Sinks that write files and databases, one a file: ``Sink.csv`` is in ``csv.py``.

Begin with ``writing`` (a file is complete or not there) and ``lines``. ``text_file``,
``part_files``, ``directory_hold`` and ``sqlite_statement`` are parts of sinks. ``stages.files`` has
the parts that sources need, too. Imports ``linear``, ``failure`` and ``context`` of ``stages``,
``stages/files`` and ``stages/arrow``.
"""
