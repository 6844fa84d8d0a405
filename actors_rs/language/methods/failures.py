"""Policies for failures: methods of ``Flow``, so of ``Source`` too."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from actors_rs.engine.sections.planning import restarted, with_policy
from actors_rs.errors import GraphError
from actors_rs.graph.checks import (
    at_least,
    cannot_run,
    flag,
    naming_site,
    positive_seconds,
    wrong_kind,
)
from actors_rs.graph.spec import OPEN, Attributes, OutletRef, StageSpec
from actors_rs.language.methods.chain import flow_of
from actors_rs.runtime.supervision.backoff import Backoff
from actors_rs.stages.failure import Decider, OnFailure, Policy
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["Failures"]

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


class Failures(Generic[In_contra, Out_co]):
    """What happens when a stage, or a section of a graph, fails."""

    _out: OutletRef

    def on_failure(
        self,
        policy: Policy | None = None,
        *,
        decider: Decider | None = None,
        section: bool = False,
    ) -> Flow[In_contra, Out_co]:
        """Set how the last stage goes on after an element for which the user's function raises.

        - ``policy="stop"``, which is the default, cancels upstream and fails downstream.
        - ``"resume"`` makes the element a dead letter and goes on with the next one.
        - ``"restart"`` does the same with the state of a fresh stage: a ``scan`` begins again with
          its initial value.
        - ``decider``: ``decider(error, element)`` names one of the three for each failure, in place
          of ``policy``. If it raises, it is ``"stop"`` with both errors.
        - ``section``: with ``True`` the policy holds for every stage of this flow that has none of
          its own, from its input or source on. If the flow comes out of a stage with several
          outlets, it holds for the stages after that.

        A policy is about elements. A source has none to pass over, and a failure without an element
        at fault is always ``"stop"``: use ``restart`` for those.

        Raises ``InvalidArgumentError`` for an unknown policy, ``ArgumentTypeError`` for a decider
        that cannot be called, ``GraphError`` where there is no stage it could hold for.

        >>> Source.of("3", "x", "4").map(int).on_failure("resume").run(Sink.list())
        [3, 4]
        """
        with naming_site():
            answer = OnFailure.checked("on_failure", policy, decider)
        out = self._out
        if not flag(section, "on_failure: section"):
            _check_takes_elements(out)
            return self._attributed("on_failure", lambda spec: _with_answer(spec, answer))
        if out is OPEN:
            raise cannot_run("on_failure: an empty Flow() has no stage to change")
        return flow_of(OutletRef(with_policy(out.spec, answer), out.index))

    def restart(
        self, backoff: Backoff | None = None, max_restarts: int = 3, within: float = 60.0
    ) -> Flow[In_contra, Out_co]:
        """This whole flow as a section that is made anew when it fails.

        - ``backoff``: the wait before each restart, at least 1/16 s; by default ``Backoff()``.
        - ``max_restarts`` and ``within``: after 3 restarts within 60 seconds, waits not counted,
          the next failure goes on downstream.

        The stages start afresh between the same links: stages before and after the section wait
        under back-pressure. A source begins from its beginning. The failure is a dead letter. So
        are the elements that had gone into a section with an open input and had not come to its
        end. Values that folds, ``stateful_map`` and ``sliding`` had collected are lost without a
        dead letter: put a fold over all elements after the section.

        Raises ``InvalidArgumentError`` for numbers out of range, ``GraphError`` for a flow that has
        other outlets too.

        >>> attempts = iter([OSError("not yet"), None])
        >>> def connect():
        ...     if error := next(attempts):
        ...         raise error
        ...     return "connected"
        >>> Source.defer(connect).restart().run(Sink.list())
        ['connected']
        """
        backoff = Backoff() if backoff is None else backoff
        if not isinstance(backoff, Backoff):
            raise wrong_kind(f"restart: backoff must be a Backoff, got {repr_of(backoff)}")
        at_least(0, max_restarts, "restart: max_restarts")
        seconds = positive_seconds(within, "restart: within")
        if self._out is OPEN:
            raise cannot_run("restart: an empty Flow() has no stage to restart")
        return flow_of(OutletRef(restarted(self._out, backoff, max_restarts, seconds)))

    def _attributed(
        self, how: str, attributes_of: Callable[[StageSpec], Attributes]
    ) -> Flow[In_contra, Out_co]:
        raise NotImplementedError


def _check_takes_elements(out: OutletRef) -> None:
    """Raise ``GraphError`` if the last stage is a source."""
    spec = out.spec
    if out is not OPEN and not spec.inputs:
        raise GraphError(
            f"on_failure: expected a stage that takes elements, got the source "
            f"'{spec.label}'{spec.made}; source.restart(Backoff()) starts it again"
        )


def _with_answer(spec: StageSpec, answer: OnFailure) -> Attributes:
    """The attributes of ``spec`` with ``answer``; a source has no element to pass over."""
    if not spec.inputs:
        return spec.attributes
    return Attributes(on_failure=answer).over(spec.attributes)
