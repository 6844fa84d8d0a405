"""The jobs of ``stress.bench.jobs``, one a module.

Each module has ``prepare``, which writes the input, and a function for each contestant, named after
it: what a user would write, whose lines are counted. A contestant imports its library itself,
and returns what ``loop`` returns. What all contestants call, such as a parser, is not counted.
"""
