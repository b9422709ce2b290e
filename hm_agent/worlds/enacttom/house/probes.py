"""The literal questions at the end of an episode: what does an agent say that others know?

There is one for each K operator of the shared goal (section 5, appendix H): for K_a K_b p, agent a is asked whether b
knows that p, and b whether p. Since a team that does all it should makes all of this so, each has a foil, which the
paper has not: a is asked, too, whether another agent knows that p, and b whether something is so that excludes p.
Answers are yes, no and don't know; an agent may also say nothing. How an answer is found is the agent's business: by
calculation, or by a question to a model. Nothing else follows from it.

What is so: a proposition if it holds at the end; that b knows something, if it is so and b has seen it or was told it
as data (knowledge.py), or says so itself when it is asked. The latter is the paper's measure, and the only one where
agents talk in plain text, which teaches the runtime nothing. So whoever a foil is about is asked, too, which counts for
nothing else. It follows that to say yes makes it so that one knows: a team of which all say yes to everything passes
all probes once the goal is reached. So success takes that foils about things are answered rightly, too; whoever knows
that p can tell that what excludes p is not so. Foils about others' knowledge are left out of it: what another agent
knows need not show to who is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.tasks.propositions import IS_CLOSED, IS_OPEN, Claim, Proposition

T = TypeVar("T")


class ProbeAnswer(Enum):
    """What can be said to a probe."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "don't know"


@dataclass(frozen=True, slots=True)
class Probe:
    """One question. name: `k_probe_1` and so on, as in the paper. claim: the K operator with all that is within it.

    Nothing in it tells a foil from what the goal wants known.
    """

    name: str
    claim: Claim

    @property
    def agent(self) -> str:
        """Who is asked: the outermost knower."""
        return self.claim.knowers[0]

    @property
    def about(self) -> Claim:
        """What it is asked: whether this is so."""
        return self.claim.inner

    @property
    def words(self) -> str:
        return f"Is it so that {self.about.words}?"


@dataclass(frozen=True)
class ProbeAnswers:
    """What an agent says to its probes: its action when its view has some. said: by name; others are unanswered."""

    said: Mapping[str, ProbeAnswer] = field(default_factory=dict)

    def to_json(self) -> dict[str, str]:
        """What traces and replays show."""
        return {name: answer.value for name, answer in self.said.items()}


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """A probe with its answer, None if there was none. is_so: whether what was asked is so."""

    probe: Probe
    answer: ProbeAnswer | None
    is_so: bool
    is_foil: bool = False

    @property
    def is_right(self) -> bool:
        """True if the answer is yes or no, and that is so. To say nothing, or not to know, is never right."""
        return self.answer is (ProbeAnswer.YES if self.is_so else ProbeAnswer.NO)

    @property
    def is_passed(self) -> bool:
        """True if what the goal wants known is so, and its knower says so; asked of probes that are no foils."""
        return self.is_so and self.answer is ProbeAnswer.YES


def operators_of(goal: Iterable[Claim]) -> tuple[Claim, ...]:
    """The K operators of a goal, each with all that is within it, the outer ones first, each once."""
    claims = (Claim(one.knowers[start:], one.proposition) for one in goal for start in range(one.depth))
    return tuple(dict.fromkeys(claims))


def foils_of(operators: Sequence[Claim], household: Household) -> tuple[Claim, ...]:
    """A foil for each operator, where the household has one; none of them is an operator."""
    found = (_foil(one, household, operators) for one in operators)
    return tuple(dict.fromkeys(one for one in found if one is not None))


def checks_of(foils: Iterable[Claim], asked: Collection[Claim]) -> tuple[Claim, ...]:
    """What else has to be asked to tell whether foils are so: what those say themselves whose knowledge they are about.

    asked: the operators and foils, which are asked anyway.
    """
    within = (Claim(one.knowers[start:], one.proposition) for one in foils for start in range(1, one.depth))
    return tuple(dict.fromkeys(one for one in within if one not in asked))


def _foil(operator: Claim, household: Household, operators: Sequence[Claim]) -> Claim | None:
    if operator.depth == 1:
        other = _excluded(operator.proposition, household)
        return Claim(operator.knowers, other) if other else None
    knower, other_knower, *further = operator.knowers
    for agent in _after(other_knower, household.agents):
        found = Claim((knower, agent, *further), operator.proposition)
        is_new = agent not in (knower, *further[:1]) and found not in operators
        if is_new and found.inner in household.bits:
            return found
    return None


def _excluded(what: Proposition, household: Household) -> Proposition | None:
    """Something of the same thing that can't be so beside it: what was so at the start or, if that is it, another."""
    kinds = (IS_OPEN, IS_CLOSED) if what.predicate in (IS_OPEN, IS_CLOSED) else (what.predicate,)
    alike = [one for one in household.physical if one.predicate in kinds and one.arguments[0] == what.arguments[0]]
    others = _after(what, alike)
    at_start = [one for one in others if one in household.task.init]
    return next(iter([*at_start, *others]), None)


def _after(one: T, all_of_them: Sequence[T]) -> list[T]:
    """The others, from the next one on and round to the one before."""
    place = all_of_them.index(one)
    return [*all_of_them[place + 1 :], *all_of_them[:place]]


def probes_of(claims: Iterable[Claim]) -> tuple[Probe, ...]:
    """The probes in the order in which they are asked: by their words, which betrays no foil."""
    ordered = sorted(claims, key=lambda one: (one.knowers[0], one.inner.words))
    return tuple(Probe(f"k_probe_{number}", one) for number, one in enumerate(ordered, 1))


def graded(
    probes: Sequence[Probe],
    answers: Mapping[str, ProbeAnswers],
    holds: Callable[[Claim], bool],
    foils: Collection[Claim] = (),
    checks: Collection[Claim] = (),
) -> tuple[ProbeResult, ...]:
    """Compares answers, by agent, with what is so; those to checks only tell what is so.

    holds: whether a claim holds as far as the runtime knows.
    """
    said = {one.claim: answers.get(one.agent, ProbeAnswers()).said.get(one.name) for one in probes}

    def is_so(what: Claim) -> bool:
        if holds(what):
            return True
        return what.depth > 0 and said.get(what) is ProbeAnswer.YES and is_so(what.inner)

    return tuple(
        ProbeResult(one, said[one.claim], is_so(one.about), one.claim in foils)
        for one in probes
        if one.claim not in checks
    )


def answered_by(probes: Iterable[Probe], rule: Callable[[Probe], ProbeAnswer]) -> dict[str, ProbeAnswers]:
    """What all agents say, by agent, if each answers by a rule."""
    said: dict[str, dict[str, ProbeAnswer]] = {}
    for one in probes:
        said.setdefault(one.agent, {})[one.name] = rule(one)
    return {agent: ProbeAnswers(answers) for agent, answers in said.items()}


def rules_of(secrets: Mapping[str, Sequence[str]]) -> Mapping[str, Callable[[Probe], ProbeAnswer]]:
    """Ways to answer without a thought of the episode, by name.

    by_secrets: yes to what the agent's own secrets say word for word, e.g. that it must be sure that it is so; else no.
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
    """What literal_right would be had all agents answered by a rule, e.g. `literal_always_yes`.

    Of `always_yes` also literal_success and literal_passed_all. by_rule: the results of each rule.
    """
    found = {f"literal_{rule}": literal_metrics(results) for rule, results in by_rule.items()}
    shares = {name: one["literal_right"] for name, one in found.items() if one}
    if always := found.get("literal_always_yes"):
        shares |= {f"{name}_always_yes": always[name] for name in ("literal_success", "literal_passed_all")}
    return shares


def literal_metrics(results: Sequence[ProbeResult]) -> Mapping[str, float]:
    """Shares of the probes asked, foils among them; empty if none was.

    literal_right: answered rightly; also by the K operators that a probe stands for, e.g. `literal_right_k2`.
    literal_true: what is so, given what was answered. literal_said_yes: answered with yes. literal_unanswered: not
    answered, which is wrong. Of those that are no foils, the paper's: literal_passed, so, and answered with yes;
    literal_passed_all, 1 if all are. literal_success: 1 if, moreover, all foils about things are answered rightly.
    """
    if not results:
        return {}
    shares = {
        "literal_right": [one.is_right for one in results],
        "literal_true": [one.is_so for one in results],
        "literal_said_yes": [one.answer is ProbeAnswer.YES for one in results],
        "literal_unanswered": [one.answer is None for one in results],
        "literal_passed": [one.is_passed for one in results if not one.is_foil],
    }
    for depth in sorted({one.probe.claim.depth for one in results}):
        shares[f"literal_right_k{depth}"] = [one.is_right for one in results if one.probe.claim.depth == depth]
    is_passed = all(one.is_passed for one in results if not one.is_foil)
    tells = all(one.is_right for one in results if one.is_foil and not one.probe.about.depth)
    return {
        "literal_asked": float(len(results)),
        **{name: sum(values) / len(values) for name, values in shares.items()},
        "literal_passed_all": float(is_passed),
        "literal_success": float(is_passed and tells),
    }
