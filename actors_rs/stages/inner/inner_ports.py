"""Ports between a stage and inner streams: figures tell them apart from its other ports."""

from __future__ import annotations

from actors_rs.stages.ports import Inlet, Outlet

__all__ = ["InnerInput", "InnerOutput"]


class InnerInput(Inlet):
    """An inlet that an inner stream feeds, or that counts for ended inner streams."""

    __slots__ = ()
    inner = True


class InnerOutput(Outlet):
    """An outlet that feeds an inner stream, or that counts for ended inner streams."""

    __slots__ = ()
    inner = True
