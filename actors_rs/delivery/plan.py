"""The plan of a run, by which a ledger recognizes the same run."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

__all__ = ["Plan"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The schema and plan of a run, as texts without volatile parts.

    ``remarks`` do not count when two plans are compared; they help to say why two differ.
    """

    schema: str
    partitions: int
    plan: str
    remarks: str = ""

    @property
    def fingerprint(self) -> str:
        """The same for the same plan, in any process."""
        text = f"{self.schema}\0{self.partitions}\0{self.plan}"
        return hashlib.sha256(text.encode()).hexdigest()

    def difference(self, there: Plan) -> str:
        """In words, what differs in ``there``, a plan with another fingerprint."""
        shape = self.shape_difference(there)
        return shape or "the query differs; the schema and the number of partitions are the same"

    def shape_difference(self, there: Plan) -> str:
        """The same where it is the number of partitions or the schema; else ""."""
        if there.partitions != self.partitions:
            then, now = there.partitions, self.partitions
            return f"the plan in the ledger has {then} partitions, and this run has {now}"
        if there.schema != self.schema:
            return f"the schema in the ledger is {there.schema}, and this run has {self.schema}"
        return ""
