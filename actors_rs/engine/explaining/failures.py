"""What each failure policy would do."""

from __future__ import annotations

from collections.abc import Iterator

from actors_rs.engine.explaining.plan import Plan, class_of, quoted
from actors_rs.engine.layout import Planned
from actors_rs.engine.sections.section import Section
from actors_rs.stages.failure import OnFailure
from actors_rs.texts import counted, repr_of

__all__ = ["failures"]


def failures(plan: Plan) -> Iterator[str]:
    """A line for each thing that can happen, with the stages to which it would."""
    alike: dict[str, list[str]] = {}
    for stage in plan.stages:
        alike.setdefault(_answer(plan, stage), []).append(plan.names[stage.spec])
    for answer, names in alike.items():
        yield f"{', '.join(names)}: {answer}"


def _answer(plan: Plan, stage: Planned) -> str:
    spec = stage.spec
    tries = f"{counted(spec.attempts, 'call')} for an element, then " if spec.attempts > 1 else ""
    if class_of(spec.make) is Section:
        _, _, backoff, most, within = spec.make.args  # type: ignore[attr-defined]
        return (
            f"restart of the section, which is made anew after {backoff.initial:g} to "
            f"{backoff.maximum:g} s; after {counted(most, 'restart')} within {within:g} s, "
            f"{_stopped(plan, stage)}"
        )
    if spec.falls_back:
        tries += "fallback gives an element in its place; if it raises, "
    return tries + _policy(plan, stage, stage.on_failure)


def _policy(plan: Plan, stage: Planned, answer: OnFailure) -> str:
    if answer.decider is not None:
        decider = getattr(answer.decider, "__name__", None) or repr_of(answer.decider)
        return f"{decider}(error, element) decides; if 'stop', {_stopped(plan, stage)}"
    if answer.policy == "resume":
        return "resume: the element becomes a dead letter, the next one is handled"
    if answer.policy == "restart":
        return (
            "restart: the element and what the stage had collected become dead letters, and it "
            "goes on with fresh state"
        )
    return f"stop: {_stopped(plan, stage)}"


def _stopped(plan: Plan, stage: Planned) -> str:
    """Whom a failure of ``stage`` reaches that passes it on, and who deals with it."""
    dealing, ends = [], False
    seen, waiting = {stage.spec}, [stage]
    while waiting:
        one = waiting.pop(0)
        fed = plan.fed_by.get(one.spec, [])
        ends = ends or not fed
        for next_one in fed:
            if next_one.spec in seen:
                continue
            seen.add(next_one.spec)
            if getattr(class_of(next_one.spec.make), "recovers", False):
                dealing.append(plan.names[next_one.spec])
            else:
                waiting.append(next_one)
    over = "the run" if not plan.outside else "the stream"
    if not dealing:
        return f"the first failure cancels upstream and ends {over}"
    dealt = f"the first failure cancels upstream, and {quoted(dealing)} deals with it"
    return f"{dealt}; elsewhere it ends {over}" if ends else dealt
