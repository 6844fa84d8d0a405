"""Junctions, one a file: more than one inlet or more than one outlet."""
