"""The built-in reasoner's answers to the questions about a household, each calculated from its question alone.

It writes and reads sentences of one fixed form (`sentences.py`): what others say in other words, it doesn't understand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

from pydantic import BaseModel

from hm_agent.agents.reflection import Critique
from hm_agent.core import Hypothesis
from hm_agent.questions import Question
from hm_agent.theory_of_mind.mind import HypothesisAnswer, WrittenStrategyAnswer
from hm_agent.worlds.enacttom.house.commands import EVERYONE, IDLE, HouseCommand, communicate
from hm_agent.worlds.enacttom.language.house_probes import HouseProbeAnswer, ProbeHouse
from hm_agent.worlds.enacttom.language.partner_questions import (
    MakeHouseStrategy,
    NextAct,
    PartnerPrediction,
    PartnerRevision,
    PredictPartner,
    ProposePartner,
    RevisedPartner,
    RevisePartner,
)
from hm_agent.worlds.enacttom.language.plan_house import CommandsAnswer, EvaluateHouse, PlanHouse
from hm_agent.worlds.enacttom.language.situation import (
    COMES,
    HANDLES,
    LEAVES,
    NOTHING,
    WRITES,
    HouseSituation,
    PartnerAct,
)
from hm_agent.worlds.enacttom.language.understanding import Understanding, understood
from hm_agent.worlds.enacttom.language.written_commands import LONGEST_MESSAGE, MOST_COMMANDS
from hm_agent.worlds.enacttom.tasks.propositions import (
    AGENT_IN_ROOM,
    CONTROLS,
    IS_INVERSE,
    MIRRORS,
    Claim,
    Proposition,
    wanted,
)

KEPT = 3
"""How many hypotheses about a partner are kept where several are."""
PATIENCE = 3
"""How many turns after a request it tries otherwise what the others have not done."""
HANDLES_OF = (IS_INVERSE, MIRRORS, CONTROLS)
"""The predicates of facts about handles, which others need to know who turn them."""


# What to say


def sayable(known: Understanding) -> Iterator[Claim]:
    """What is worth telling, the most urgent first: what only others can do, what helps with it, and what is done."""
    yield from (Claim((), wanted(one)) for one in known.missing)
    handles = (one for one in known.mind.facts if one.predicate in HANDLES_OF)
    yield from (Claim((), one) for one in sorted(handles, key=str))
    places = (known.place_of(one.arguments[0]) for one in known.missing)
    yield from (Claim((), one) for one in places if one)
    yield from known_of(known)


def known_of(known: Understanding) -> Iterator[Claim]:
    """Of what is wanted and so: that others know it, as far as the agent knows, and that it is so."""
    for one in known.wants:
        if known.mind.beliefs.knows(one):
            yield from (Claim((other,), one) for other in sorted(known.mind.notes.knowers(one)))
            yield Claim((), one)


def message(said: Sequence[Claim]) -> HouseCommand | None:
    """A message to all that says as many claims as go into it; None for none."""
    text, covered = "", list[Claim]()
    for one in said:
        if any(_says(other, one) for other in covered):
            continue
        longer = f"{text} {one.words}.".strip()
        if len(longer) <= LONGEST_MESSAGE:
            text, covered = longer, [*covered, one]
    return communicate(text, [EVERYONE]) if text else None


def _says(said: Claim, other: Claim) -> bool:
    """True if who reads the first need not read the second."""
    return said.proposition == other.proposition and other.depth == 0 and said.depth > 0


# What to do


def best_commands(situation: HouseSituation) -> list[HouseCommand]:
    """Tells what only others can do, does what it can do alone, tells what is done; then looks, brings, or waits."""
    known = understood(situation)
    found: list[HouseCommand] = []
    left = known.view.messages_left if known.told.targets else 0
    looked = known.search()
    others = [one for one in known.missing if not (looked and known.is_lost(one))]
    urgent = known.lacking(Claim((), wanted(one)) for one in others)
    if urgent and left:
        found += filter(None, [message(known.lacking(sayable(known)))])
        left -= len(found)
    if len(known.commands) > MOST_COMMANDS - 3:
        return [*found, *known.commands[: MOST_COMMANDS - 3]]
    found += known.commands
    news = [Claim((), one) for one in known.wants if one in known.reached and not known.is_so(one)]
    report = known.lacking(news if urgent else (*news, *known_of(known)))
    if report and left:
        found += filter(None, [message(report)])
    if looked:
        return [*found, *(one for one in looked if one not in found)][:MOST_COMMANDS]
    return [*(found or _nearer(situation, known)), IDLE]


def _nearer(situation: HouseSituation, known: Understanding) -> list[HouseCommand]:
    """How to bring to another agent what only others can bring to its place, once they had time to come for it."""
    asked = [one.turn for one in situation.log if one.sender == situation.me]
    if asked and known.view.turn - asked[-1] < PATIENCE:
        return []
    brought = known.hand_over()
    if brought is None:
        return []
    commands, where = brought
    told = message([Claim((), where)]) if known.view.messages_left and known.told.targets else None
    return [*commands[: MOST_COMMANDS - 2], *filter(None, [told])]


# How a partner acts


@dataclass(frozen=True)
class _PartnerRule:
    """A way to act. likelihood: of an act noticed. foresee: the next act, by what the agent believes of the partner."""

    words: str
    likelihood: Callable[[PartnerAct], float]
    foresee: Callable[[HouseSituation, str, Sequence[PartnerAct]], NextAct]


def _pending(known: Understanding, partner: str) -> list[Proposition]:
    """What is wanted, not yet so, and known to be wanted to a partner, as the agent believes; what it can do first."""
    asked = [one for one in known.wants if not known.is_so(one)]
    heard = [one for one in asked if partner in known.mind.notes.knowers(wanted(one))]
    return sorted(heard, key=lambda one: partner not in known.mind.routes.doers(one, known.mind.facts))


def _reports(situation: HouseSituation, partner: str, history: Sequence[PartnerAct]) -> NextAct:
    """It writes of what it was asked to do; of what it wrote last, if it was asked nothing."""
    pending = _pending(understood(situation), partner)
    return NextAct(does=WRITES, about=pending[0].arguments[0]) if pending else _tells(situation, partner, history)


def _tells(situation: HouseSituation, partner: str, history: Sequence[PartnerAct]) -> NextAct:
    """It writes once more of what it wrote of last."""
    last = next((act for act in reversed(history) if act.does == WRITES and act.things), None)
    return NextAct(does=WRITES, about=last.things[0] if last else NOTHING)


def _works(situation: HouseSituation, partner: str, history: Sequence[PartnerAct]) -> NextAct:
    """It goes on with the things around it."""
    last = next((act for act in reversed(history) if act.does == HANDLES and act.things), None)
    return NextAct(does=HANDLES, about=last.things[0] if last else NOTHING)


def _walks(situation: HouseSituation, partner: str, history: Sequence[PartnerAct]) -> NextAct:
    """It goes away where it is, and comes where it is not."""
    is_here = Proposition(AGENT_IN_ROOM, (partner, situation.view.room)) in situation.view.sees
    return NextAct(does=LEAVES if is_here else COMES, about=NOTHING)


def _by_kind(asks: float, reports: float, handles: float, walks: float) -> Callable[[PartnerAct], float]:
    """A likelihood that depends on the kind of act alone; whoever writes asks for something or reports something."""
    chances = {HANDLES: handles, COMES: walks, LEAVES: walks}
    return lambda act: chances.get(act.does, asks if _ASKS.search(act.text) else reports)


_ASKS = re.compile(r"\bmust\b|\?|\bplease\b", re.IGNORECASE)
RULES = (
    _PartnerRule(
        "It says what it can't do itself, does what it is told to be wanted, and then writes that it is done.",
        _by_kind(0.4, 0.4, 0.15, 0.05),
        _reports,
    ),
    _PartnerRule(
        "It writes what it alone knows to be wanted, and leaves it to the others.",
        _by_kind(0.6, 0.1, 0.05, 0.05),
        _tells,
    ),
    _PartnerRule("It works on its own wishes and writes little.", _by_kind(0.05, 0.05, 0.6, 0.15), _works),
    _PartnerRule("It walks from room to room and looks for things.", _by_kind(0.05, 0.05, 0.2, 0.35), _walks),
)
PRIOR = (1.0, 0.0, 0.0, 0.0)
"""How much likelier each rule is before anything was noticed, as a logarithm."""


def _ranked(history: Iterable[PartnerAct], held: Iterable[Hypothesis] = ()) -> list[_PartnerRule]:
    """The likeliest rule first. held: earlier hypotheses, whose values count like evidence."""
    values, acts = {one.words: one.value for one in held}, list(history)

    def weight(rule: _PartnerRule) -> float:
        known = PRIOR[RULES.index(rule)] + values.get(rule.words, 0.0)
        return known + sum(log(rule.likelihood(act)) for act in acts)

    return sorted(RULES, key=weight, reverse=True)


def foresee(words: str | None, situation: HouseSituation, about: str, history: Sequence[PartnerAct]) -> NextAct:
    """What a partner does next by a hypothesis; one in other words counts as the first rule."""
    rule = next((rule for rule in RULES if rule.words == words), RULES[0])
    found = rule.foresee(situation, about, history)
    return found if found.about in situation.things else NextAct(does=found.does, about=NOTHING)


def strategy_words(situation: HouseSituation) -> str:
    """What is best now, as a strategy."""
    if missing := understood(situation).missing:
        return f"Do what is wanted; let the others know that {missing[0].words} is for them to bring about."
    return "Do what is wanted, and tell the others once it is done."


# Answers


def propose(question: ProposePartner) -> HypothesisAnswer:
    return HypothesisAnswer(hypothesis=_ranked(question.history, question.best)[0].words)


def predict(question: PredictPartner) -> PartnerPrediction:
    words: list[str | None] = [hypothesis.words for hypothesis in question.hypotheses]
    situation = question.situation
    return PartnerPrediction(
        partner=question.about,
        next=[foresee(each, situation, question.about, question.history) for each in words or [None]],
        strategy=strategy_words(situation),
    )


def revise(question: RevisePartner) -> PartnerRevision:
    """Keeps the likeliest rules, the likeliest last."""
    hypotheses = []
    if question.about is not None:
        numbers = {hypothesis.words: number for number, hypothesis in enumerate(question.hypotheses, 1)}
        for rule in reversed(_ranked(question.history, question.hypotheses)[:KEPT]):
            act = foresee(rule.words, question.situation, question.about, question.history)
            of = numbers.get(rule.words, 0)
            words = "" if of else rule.words
            hypotheses.append(RevisedPartner(of=of, hypothesis=words, does=act.does, about=act.about))
    return PartnerRevision(hypotheses=hypotheses, strategy=strategy_words(question.situation))


def make_strategy(question: MakeHouseStrategy) -> WrittenStrategyAnswer:
    return WrittenStrategyAnswer(strategy=strategy_words(question.situation))


def plan(question: PlanHouse) -> CommandsAnswer:
    commands = best_commands(question.situation)
    if question.barred and commands[0] == question.barred.command:
        commands = [IDLE]
    return CommandsAnswer(commands=[_written(command) for command in commands])


def _written(command: HouseCommand) -> str:
    """The command as the prompt asks for it: with messages in single quotes."""
    if command.text:
        return f"{command.verb}['{command.text}', {', '.join(command.arguments)}]"
    return str(command)


def evaluate(question: EvaluateHouse) -> Critique:
    """States how much of the plan was carried out, and what to change where it was not all."""
    done, count = question.plan.done, len(question.plan.commands)
    advice = "go on like this" if done == count else "look whether what a command needs is so before you plan it"
    return Critique(critique=f"{done} of {count} commands carried out: {advice}.")


def answer_probes(question: ProbeHouse) -> HouseProbeAnswer:
    """Yes to what it knows; no to what it believes to be otherwise; else it doesn't know."""
    mind = understood(question.situation).mind
    return HouseProbeAnswer(answers=[mind.answer(probe).value for probe in question.probes])


ANSWERS: Mapping[type[Question[Any]], Callable[[Any], BaseModel]] = {
    ProposePartner: propose,
    PredictPartner: predict,
    RevisePartner: revise,
    MakeHouseStrategy: make_strategy,
    PlanHouse: plan,
    EvaluateHouse: evaluate,
    ProbeHouse: answer_probes,
}
"""Which function answers which question."""
