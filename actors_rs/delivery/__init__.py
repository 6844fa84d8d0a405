"""Delivery: acknowledged elements, and the ledger that a run is resumed from.

Begin with ``ack.py`` (who still holds an element) and ``ledger.py`` (which units are done, in one
SQLite file). ``schema``, ``notes``, ``runs`` and ``starts`` are parts of the ledger, ``reporting``
and ``command`` show it. ``acknowledge`` is the operator, ``carrying`` the variants of stages. May
import ``language`` and below; never ``spark``.
"""

from actors_rs.delivery.ack import Disposition as Disposition
from actors_rs.delivery.acknowledge import acknowledged as acknowledged
from actors_rs.delivery.ledger import Ledger as Ledger
from actors_rs.delivery.ledger import status as status
from actors_rs.delivery.reporting import partition_lines as partition_lines
from actors_rs.delivery.reporting import report_lines as report_lines
from actors_rs.delivery.schema import Entry as Entry
from actors_rs.delivery.schema import Report as Report

__all__ = [
    "Disposition",
    "Entry",
    "Ledger",
    "Report",
    "acknowledged",
    "partition_lines",
    "report_lines",
    "status",
]
