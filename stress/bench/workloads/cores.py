"""How many workers each contestant may have."""

__all__ = ["CORES"]

CORES = 2
