"""The open literal probes of the paper's appendix H, beside the questions of probes.py, which have yes for an answer.

For each K operator of the shared goal an agent gives a structured report: a predicate, whether it holds, and its
arguments. For K_a p, agent a reports on p. For K_a K_b p, it predicts what b would report on p, and so on. The probe
names what p is about, in order, and puts p into words; the agent finds the predicate. There are no foils.

A report on p is right if it says what is so at the end, also that p does not hold. A prediction is right if it says
what the predicted agent reports itself. "Unknown" is never right, so that no probe is passed because nobody says
anything. The authors' code compares predictions alone: there two agents that both report "unknown" agree. `agrees`
counts that, for a figure that may be compared with theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hm_agent.worlds.enacttom.house.probes import Probe, ProbeReport
from hm_agent.worlds.enacttom.tasks.propositions import Claim


@dataclass(frozen=True, slots=True)
class ReportResult:
    """A probe with its report, None if there was none. right: the report that is right; None if nobody can tell."""

    probe: Probe
    report: ProbeReport | None
    right: ProbeReport | None

    @property
    def is_right(self) -> bool:
        """True if the report is known and says what the right one says."""
        return self.agrees and self.report is not None and self.report.state is not None

    @property
    def agrees(self) -> bool:
        """True if both reports say the same, also that both are unknown."""
        return self.report is not None and self.right is not None and self.report.state == self.right.state


def question_of(probe: Probe) -> str:
    """What a probe asks of its agent, worded like the paper's."""
    minds, proposition = probe.about.knowers, probe.about.proposition
    told = " would report that ".join(minds)
    asked = f"Predict what {told} would report about" if minds else "Report on"
    return f'{asked} "{proposition.words}". Use ordered entities [{", ".join(proposition.arguments)}].'


def graded_reports(
    probes: Sequence[Probe], report: Callable[[Probe], ProbeReport | None], holds: Callable[[Claim], bool]
) -> tuple[ReportResult, ...]:
    """Grades what agents report on probes. holds: whether a claim without knowers holds at the end."""
    given = {probe.claim: report(probe) for probe in probes}

    def right(about: Claim) -> ProbeReport | None:
        return given.get(about) if about.depth else ProbeReport.on(about.proposition, holds(about))

    return tuple(ReportResult(probe, given[probe.claim], right(probe.about)) for probe in probes)


RULES: Mapping[str, Callable[[Probe], ProbeReport]] = {
    "always_holds": lambda probe: ProbeReport.on(probe.about.proposition, holds=True),
    "always_not": lambda probe: ProbeReport.on(probe.about.proposition, holds=False),
}
"""Ways to report without regard to the episode, by name."""


def open_metrics(results: Sequence[ReportResult], by_rule: Mapping[str, Sequence[ReportResult]]) -> dict[str, float]:
    """Returns shares of all open probes; empty if there are none.

    open_right: reported rightly, also by the depth of the probe's claim, e.g. `open_right_k2`; open_right_all: 1 if all
    are. open_agreed, open_agreed_all: the same where predictions of "unknown" that come true count, as in the authors'
    code. open_unknown, open_unanswered: reported as unknown, and not reported. by_rule: open_right and open_agreed_all
    as they would be if all agents reported by a rule, e.g. `open_right_always_holds`.
    """
    if not results:
        return {}
    right = [result.is_right for result in results]
    metrics = {"open_asked": float(len(results)), **_shares(results)}
    for depth in sorted({result.probe.claim.depth for result in results}):
        of_depth = [is_right for is_right, one in zip(right, results, strict=True) if one.probe.claim.depth == depth]
        metrics[f"open_right_k{depth}"] = sum(of_depth) / len(of_depth)
    metrics["open_unknown"] = sum(one.report is not None and one.report.state is None for one in results) / len(results)
    metrics["open_unanswered"] = sum(one.report is None for one in results) / len(results)
    for rule, graded in by_rule.items():
        shares = _shares(graded)
        metrics |= {f"{name}_{rule}": shares[name] for name in ("open_right", "open_agreed_all")}
    return metrics


def _shares(results: Sequence[ReportResult]) -> dict[str, float]:
    verdicts = {
        "open_right": [result.is_right for result in results],
        "open_agreed": [result.agrees for result in results],
    }
    shares = {name: sum(values) / len(values) for name, values in verdicts.items()}
    return shares | {f"{name}_all": float(all(values)) for name, values in verdicts.items()}
