"""The literal probes at the end of an episode: do agents say rightly what holds and what others know?

There is a probe for each K operator of the shared goal (section 5, appendix H): for K_a K_b p, agent a is asked whether
b knows that p, and b whether p holds. A team that reaches its whole goal makes the right answer to all of these yes. So
each probe has a foil, which the paper does not have: a is also asked whether another agent knows that p, and b whether
something holds that excludes p. Answers are yes, no and don't know; an agent may also give none. Agents may calculate
their answers or ask a model for them. Answers have no effect on the household.

A proposition is true if it holds at the end. That b knows something is true if it is true itself, and b has seen it or
was told it as data (knowledge.py), or says that it is so when asked. The last is the paper's measure, and the only one
that works where agents talk in plain text, which teaches the runtime nothing. That is why the agents whose knowledge a
foil is about are asked, too, by *checks*, which count for nothing else. It follows that an agent's yes can make its own
knowledge true: a team that says yes to everything passes all probes once the goal is reached. So success also requires
right answers to the foils about things: an agent that knows p can tell that what excludes p does not hold. Foils about
others' knowledge don't matter for it, since the agent that is asked may have had no way to see what another one knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from hm_agent.worlds.enacttom.house.commands import HouseCommand
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition

T = TypeVar("T")
UNKNOWN_PREDICATE = "unknown"


class ProbeAnswer(Enum):
    """The possible answers to a probe."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "don't know"


@dataclass(frozen=True, slots=True)
class Probe:
    """One question. name: `k_probe_1` and so on, as in the paper. claim: the K operator with its content.

    Nothing in a probe shows whether it is a foil. is_thought: True if what others think is asked for, which may be
    wrong, and not what they know (thought_pairs.py). is_open: True if a report is to answer it (open_probes.py).
    """

    name: str
    claim: Claim
    is_thought: bool = False
    is_open: bool = False

    @property
    def agent(self) -> str:
        """The agent that is asked: the outermost knower."""
        return self.claim.knowers[0]

    @property
    def about(self) -> Claim:
        """The claim in question: the agent is asked whether it is true."""
        return self.claim.inner

    @property
    def words(self) -> str:
        verb = "thinks" if self.is_thought else "knows"
        minds = "".join(f"{agent} {verb} that " for agent in self.about.knowers)
        return f"Is it so that {minds}{self.about.proposition.words}?"


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """An answer to an open probe (open_probes.py): a predicate, whether it holds, and its arguments in order.

    The predicate "unknown", without arguments, says that the agent does not know.
    """

    predicate: str = UNKNOWN_PREDICATE
    holds: bool | None = None
    args: tuple[str, ...] = ()

    @classmethod
    def on(cls, proposition: Proposition, holds: bool | None) -> ProbeReport:
        """The report that a proposition holds or not; unknown for None."""
        return cls() if holds is None else cls(proposition.predicate, holds, proposition.arguments)

    @property
    def state(self) -> tuple[str, bool, tuple[str, ...]] | None:
        """What it says, None for unknown. That something is closed says that it is not open."""
        if self.predicate == UNKNOWN_PREDICATE or self.holds is None:
            return None
        if self.predicate == Is.CLOSED:
            return Is.OPEN, not self.holds, self.args
        return self.predicate, self.holds, self.args

    @property
    def words(self) -> str:
        if self.holds is None:
            return self.predicate
        return f"({' '.join((self.predicate, *self.args))}) {'holds' if self.holds else 'does not hold'}"


@dataclass(frozen=True)
class ProbeAnswers:
    """An agent's action when its view has probes.

    said: the answers by the name of the probe; others are unanswered. reports: the same for open probes.
    """

    said: Mapping[str, ProbeAnswer] = field(default_factory=dict)
    reports: Mapping[str, ProbeReport] = field(default_factory=dict)

    def to_json(self) -> dict[str, str]:
        """Returns what traces and replays show."""
        reports = {f"{name}, report": report.words for name, report in self.reports.items()}
        return {name: answer.value for name, answer in self.said.items()} | reports


HouseAction = HouseCommand | ProbeAnswers
"""What an agent does when it is asked: a command in each turn, its answers after the last one."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """A probe with its answer, None if there was none. is_so: whether the claim in question is true."""

    probe: Probe
    answer: ProbeAnswer | None
    is_so: bool
    is_foil: bool = False

    @property
    def is_right(self) -> bool:
        """True if the answer is yes or no, and correct. No answer and don't know are never right."""
        return self.answer is (ProbeAnswer.YES if self.is_so else ProbeAnswer.NO)

    @property
    def is_passed(self) -> bool:
        """True if the claim in question is true, and was answered with yes; meant for probes that are no foils."""
        return self.is_so and self.answer is ProbeAnswer.YES


def operators_of(goal: Iterable[Claim]) -> tuple[Claim, ...]:
    """Returns the K operators of a goal, each once and with its content; of nested ones the outer comes first."""
    claims = (
        Claim(conjunct.knowers[start:], conjunct.proposition) for conjunct in goal for start in range(conjunct.depth)
    )
    return tuple(dict.fromkeys(claims))


def foils_of(operators: Sequence[Claim], household: Household) -> tuple[Claim, ...]:
    """Returns a foil for each operator for which the household has one; none of them is an operator of the goal."""
    foils = (_foil(operator, household, operators) for operator in operators)
    return tuple(dict.fromkeys(foil for foil in foils if foil is not None))


def checks_of(foils: Iterable[Claim], asked: Collection[Claim]) -> tuple[Claim, ...]:
    """Returns the K operators within foils that are not asked about yet; answers to them help to grade the foils.

    asked: the operators and foils.
    """
    inner_claims = (Claim(foil.knowers[start:], foil.proposition) for foil in foils for start in range(1, foil.depth))
    return tuple(dict.fromkeys(claim for claim in inner_claims if claim not in asked))


def _foil(operator: Claim, household: Household, operators: Sequence[Claim]) -> Claim | None:
    if operator.depth == 1:
        other = _excluding(operator.proposition, household)
        return Claim(operator.knowers, other) if other else None
    knower, other_knower, *further = operator.knowers
    for agent in _others_after(other_knower, household.agents):
        foil = Claim((knower, agent, *further), operator.proposition)
        is_new = agent not in (knower, *further[:1]) and foil not in operators
        if is_new and foil.inner in household.bits:
            return foil
    return None


def _excluding(proposition: Proposition, household: Household) -> Proposition | None:
    """Returns a proposition about the same thing that excludes this one, preferably what held at the start."""
    kinds = Is.STATES if proposition.predicate in Is.STATES else (proposition.predicate,)
    same_thing = [
        other
        for other in household.physical
        if other.predicate in kinds and other.arguments[0] == proposition.arguments[0]
    ]
    others = _others_after(proposition, same_thing)
    at_start = [other for other in others if other in household.task.init]
    return next(iter([*at_start, *others]), None)


def _others_after(item: T, items: Sequence[T]) -> list[T]:
    """Returns the other items, beginning after `item` and wrapping around."""
    place = items.index(item)
    return [*items[place + 1 :], *items[:place]]


def probes_of(
    claims: Iterable[Claim], name: str = "k_probe", *, is_thought: bool = False, is_open: bool = False
) -> tuple[Probe, ...]:
    """Makes the probes, ordered by agent and words, so that the order does not show which are foils.

    name: the beginning of their names; that of closed probes of K operators is the paper's.
    """
    ordered = sorted(claims, key=lambda claim: (claim.knowers[0], claim.inner.words))
    return tuple(Probe(f"{name}_{number}", claim, is_thought, is_open) for number, claim in enumerate(ordered, 1))


def graded(
    probes: Sequence[Probe],
    answer: Callable[[Probe], ProbeAnswer | None],
    holds: Callable[[Claim], bool],
    foils: Collection[Claim] = (),
    checks: Collection[Claim] = (),
) -> tuple[ProbeResult, ...]:
    """Grades what agents answer to probes. Checks only help to decide what is true, and have no results.

    holds: whether a claim holds as far as the runtime knows.
    """
    given = {probe.claim: answer(probe) for probe in probes}

    def is_true(claim: Claim) -> bool:
        if holds(claim):
            return True
        return claim.depth > 0 and given.get(claim) is ProbeAnswer.YES and is_true(claim.inner)

    return tuple(
        ProbeResult(probe, given[probe.claim], is_true(probe.about), probe.claim in foils)
        for probe in probes
        if probe.claim not in checks
    )


def rules_of(secrets: Mapping[str, Sequence[str]]) -> Mapping[str, Callable[[Probe], ProbeAnswer]]:
    """Returns rules by name that answer probes without regard to the episode.

    by_secrets: yes to a claim that the agent's own secrets contain word for word, e.g. as what it must be sure of; no
    to others.
    """
    return {
        "always_yes": lambda probe: ProbeAnswer.YES,
        "always_no": lambda probe: ProbeAnswer.NO,
        "by_secrets": lambda probe: (
            ProbeAnswer.YES
            if f"that {probe.about.words}." in " ".join(secrets.get(probe.agent, ()))
            else ProbeAnswer.NO
        ),
    }


def rule_metrics(by_rule: Mapping[str, Sequence[ProbeResult]]) -> Mapping[str, float]:
    """Returns for each rule what literal_right would be if all agents answered by it, e.g. as `literal_always_yes`.

    For always_yes also literal_success and literal_passed_all, as `literal_success_always_yes` etc. by_rule: the
    results of each rule.
    """
    by_name = {f"literal_{rule}": literal_metrics(results) for rule, results in by_rule.items()}
    shares = {name: metrics["literal_right"] for name, metrics in by_name.items() if metrics}
    if always := by_name.get("literal_always_yes"):
        shares |= {f"{name}_always_yes": always[name] for name in ("literal_success", "literal_passed_all")}
    return shares


def literal_metrics(results: Sequence[ProbeResult]) -> Mapping[str, float]:
    """Returns shares of all probes, foils included; empty if there are none.

    literal_right: answered correctly; also by the depth of the probe's claim, e.g. `literal_right_k2`. literal_true:
    those whose claim in question is true, given the answers. literal_said_yes: answered with yes. literal_unanswered:
    not answered, which counts as wrong. Of the probes that are no foils, as in the paper: literal_passed, true and
    answered with yes; literal_passed_all, 1 if all are passed. literal_success: 1 if, moreover, all foils about things
    are answered correctly.
    """
    if not results:
        return {}
    shares = {
        "literal_right": [result.is_right for result in results],
        "literal_true": [result.is_so for result in results],
        "literal_said_yes": [result.answer is ProbeAnswer.YES for result in results],
        "literal_unanswered": [result.answer is None for result in results],
        "literal_passed": [result.is_passed for result in results if not result.is_foil],
    }
    for depth in sorted({result.probe.claim.depth for result in results}):
        shares[f"literal_right_k{depth}"] = [result.is_right for result in results if result.probe.claim.depth == depth]
    is_passed = all(result.is_passed for result in results if not result.is_foil)
    foils_right = all(result.is_right for result in results if result.is_foil and not result.probe.about.depth)
    return {
        "literal_asked": float(len(results)),
        **{name: sum(values) / len(values) for name, values in shares.items()},
        "literal_passed_all": float(is_passed),
        "literal_success": float(is_passed and foils_right),
    }
