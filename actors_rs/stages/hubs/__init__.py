"""Hubs, one a file: subscribers or sources come and go while the stage runs.

Begin with ``hot`` (what hubs have in common) and ``hub_buffer`` (who gets which element, pure).
"""
