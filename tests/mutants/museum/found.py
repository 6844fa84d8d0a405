"""Bugs that this package had and that exploration has found: their repairs, undone again."""

from tests.mutants.mutant import mutant

J = "stages.junctions"
GROUP_BY = f"{J}.group_by:GroupBy"
SECTION = "graph.section:Section"

MUTANTS = (
    mutant(
        "a group let in at the end is never announced",
        "room that comes free when the input has completed is given to a key nobody hears of",
        f"{GROUP_BY}._end_if_due",
        "self._announce()",
        "pass",
        "inner/group_by that wait",
    ),
    mutant(
        "a section does not hear what groups held",
        "elements held for groups that a failed section cuts off vanish",
        f"{GROUP_BY}.held",
        "*(group.held for group in self._groups), ",
        "",
        "sections/groups are given or reported",
    ),
    mutant(
        "an error meets a cancellation",
        "a stream that is switched off and fails in one turn of a stage between fails the run",
        "graph.shell:StageActor._finish",
        "self.forgive(unheard)",
        "pass",
        "inner/an error meets a cancellation",
    ),
    mutant(
        "an error waits for a cancellation",
        "a stream that has failed unheard before it is switched off fails the run",
        "stages.hosting:Hosting.drop",
        "if inlet.forgiving and inlet.error is not None:",
        "if inlet.forgiving and inlet.cancelled:",
        "inner/late failures are forgiven",
    ),
    mutant(
        "only the nearest stage is forgiven",
        "a stream of several stages fails when nobody wants it any more, and the run with it",
        "graph.layout:_forgiving_of",
        "spec.forgiving or (spec.outlets and spec not in heard)",
        "spec.forgiving",
        "inner/wanted no more",
    ),
    mutant(
        "what failed beside a recovery is a failure",
        "streams that fail together fail the run although the first failure was recovered from",
        "graph.run_life:RunLife.recovered",
        "self._forget([error, *beside])",
        "self._forget([error])",
        "inner/failures beside a recovery",
    ),
    mutant(
        "what fails behind a recovery is a failure",
        "an error that finds its stage ended counts although that stage's was recovered from",
        "graph.signals:_Ended.dropped",
        "self.inlet.on_unheard(self.error)",
        "pass",
        "inner/failures beside a recovery",
    ),
    mutant(
        "what failed beside a cancellation for an error is a failure",
        "a stage that fails when it has been cancelled for an error counts, recovered or not",
        "graph.failing:_why_ended",
        "outlet.cause if outlet.error is None else outlet.error",
        "outlet.error",
        "inner/failures beside a recovery",
    ),
    mutant(
        "a section ends before its stages",
        "a section that is left ends at once, while its stages still hold and lose elements",
        f"{SECTION}.finished",
        "super().finished and (self._life is None or self._life.over)",
        "super().finished",
        "sections/sections within sections",
    ),
    mutant(
        "a section that is not needed any more fails",
        "a section that is switched off just as it fails makes that the failure of the run",
        f"{SECTION}.stop",
        "if self._is_unneeded:",
        "if self._is_unneeded and self._draining:",
        "sections/switched off at any point",
    ),
    mutant(
        "switch_map forgets what was cut off",
        "a cancellation of the newest stream is taken for its end, so its element is not reported",
        f"{J}.switch_map:SwitchMap.advance",
        " and not inner.cancelled",
        "",
        "sections/switched within",
    ),
    mutant(
        "a tree is told to stop before it has started",
        "what its children were told is not handled by anybody",
        "runtime.supervisor:SupervisorActor._stop",
        "if self._ready or not self._ends_for_good():",
        "if True:",
        "actors/told before it has started",
    ),
)
