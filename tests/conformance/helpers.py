"""What the rows of several tables use."""

from itertools import count

NUMBERS = count()
"""For the names of files."""


def same(x):
    return x


def first_part(parts):
    return parts[0]


def last_part(parts):
    return parts[-1]
