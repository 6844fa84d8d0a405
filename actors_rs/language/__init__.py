"""The typed language in which users write graphs."""
