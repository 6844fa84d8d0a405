"""What sinks are made of.

``fanning.py`` is what ``Sink.fan`` does, ``files.py`` what file sinks check. Imports ``graph`` and
``stages``, and nothing of the language.
"""
