"""Functions that rows of several tables use."""

from itertools import count

NUMBERS = count()
"""Numbers for the names of files, each once."""


def same(x):
    return x


def first_part(parts):
    return parts[0]


def last_part(parts):
    return parts[-1]
