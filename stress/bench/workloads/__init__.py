"""The jobs of ``stress.bench.jobs``, one a module.

Each module has ``prepare``, which writes the input, and a function for each contestant, named after
it. The function is the code of a user, and its lines are counted. A contestant imports its library
itself, and returns the result of ``loop``. Functions that all contestants call are not counted.
"""
