"""How a stage goes on when an element makes it fail: a policy, or a decider that picks a policy.

A policy is about elements. A failure without an element at fault (in ``start``, in ``finish``, an
end that came from upstream) stops the stage under any policy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from actors_rs.errors import ArgumentTypeError, DeciderError, InvalidArgumentError
from actors_rs.stages.functions import deferred_kind
from actors_rs.texts import named, one_of, repr_of

__all__ = ["POLICIES", "STOP", "Decider", "OnFailure", "Policy"]

Policy: TypeAlias = Literal["stop", "resume", "restart"]
"""``stop``: cancel upstream and fail downstream. ``resume``: the element becomes a dead letter,
what follows is handled. ``restart``: the same, with the state of a fresh stage."""
POLICIES: tuple[str, ...] = get_args(Policy)
Decider: TypeAlias = Callable[[Exception, Any], Policy]
"""``decider(error, element)`` names the policy for this failure. It runs in the stage's turn."""


@dataclass(frozen=True, slots=True)
class OnFailure:
    """A stage's answer to elements that fail: the decider's, else the policy."""

    policy: Policy = "stop"
    decider: Decider | None = None

    @classmethod
    def checked(cls, what: str, policy: Any, decider: Any) -> OnFailure:
        """Exactly one of the two, which must make sense; ``what`` names the call in messages."""
        if decider is None:
            if policy not in POLICIES:
                raise InvalidArgumentError(f"{what}: expected {one_of(POLICIES, policy)}")
            return cls(policy)
        if policy is not None:
            raise InvalidArgumentError(
                f"{what}: expected a policy or a decider, got both "
                f"({repr_of(policy)} and {repr_of(decider)})"
            )
        if not callable(decider):
            raise TypeError(f"{what}: decider must be callable, got {repr_of(decider)}")
        if kind := deferred_kind(decider):  # each of its answers would be none
            raise ArgumentTypeError(
                f"{what}: decider must be a plain function, got the {kind} {repr_of(decider)}"
            )
        return cls(decider=decider)

    def decide(self, error: Exception, element: Any) -> Policy:
        """The policy for ``element``, which made the stage raise ``error``.

        Raises ``DeciderError`` if the decider raises or returns something else.
        """
        if self.decider is None:
            return self.policy
        try:
            policy = self.decider(error, element)
        except Exception as failure:
            raise DeciderError(f"a decider raised {named(failure)}") from failure
        if not issubclass(type(policy), str) or policy not in POLICIES:
            raise DeciderError(f"a decider must return {one_of(POLICIES, policy)}")
        return policy


STOP = OnFailure()
"""What holds for a stage that was given nothing else."""
