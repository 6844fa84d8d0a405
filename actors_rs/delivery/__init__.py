"""Delivery: acknowledged elements, and the ledger that a run is resumed from."""

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
