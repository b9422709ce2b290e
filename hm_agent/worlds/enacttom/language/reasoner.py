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
from hm_agent.theory_of_mind.mind import HypothesisAnswer
from hm_agent.worlds.enacttom.commands import EVERYONE, IDLE, HouseCommand, communicate
from hm_agent.worlds.enacttom.language.house_probes import HouseProbeAnswer, ProbeHouse
from hm_agent.worlds.enacttom.language.partner_questions import (
    HouseStrategyAnswer,
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
from hm_agent.worlds.enacttom.language.written_commands import LONGEST_MESSAGE, MOST_COMMANDS
from hm_agent.worlds.enacttom.plans_alone import PlanAlone, hand_over, plan_alone, search
from hm_agent.worlds.enacttom.probes import ProbeAnswer
from hm_agent.worlds.enacttom.propositions import (
    AGENT_IN_ROOM,
    CONTROLS,
    IS_CLOSED,
    IS_INVERSE,
    IS_OPEN,
    MIRRORS,
    Claim,
    Proposition,
    wanted,
)
from hm_agent.worlds.enacttom.view_beliefs import PLACES

KEPT = 3
"""How many hypotheses about a partner are kept where several are."""
PATIENCE = 3
"""How many turns after a request it tries otherwise what the others have not done."""
HANDLES_OF = (IS_INVERSE, MIRRORS, CONTROLS)
"""The predicates of facts about handles, which others need to know who turn them."""


# What to say


def sayable(situation: HouseSituation, plan: PlanAlone) -> Iterator[Claim]:
    """What is worth telling, the most urgent first: what only others can do, what helps with it, and what is done."""
    beliefs = situation.beliefs
    missing = missing_of(situation, plan)
    yield from (Claim((), wanted(one)) for one in missing)
    yield from (Claim((), one) for one in sorted(beliefs.facts, key=str) if one.predicate in HANDLES_OF)
    about = {one.arguments[0] for one in missing}
    for one in sorted(beliefs.so, key=str):
        if one.predicate in PLACES and one.arguments[0] in about:
            yield Claim((), one)
    yield from known_of(situation)


def missing_of(situation: HouseSituation, plan: PlanAlone) -> list[Proposition]:
    """What the others want, too, is not so, and is out of the agent's own reach."""
    wishes, so = situation.view.briefing.wishes, situation.beliefs.so
    return [one for one in plan.missing if one not in so and one not in wishes]


def known_of(situation: HouseSituation) -> Iterator[Claim]:
    """Of what is wanted and so: that others know it, as far as the agent knows, and that it is so."""
    beliefs = situation.beliefs
    for one in beliefs.wants:
        if one in beliefs.so and one not in situation.view.briefing.wishes:
            yield from (Claim((other,), one) for other in situation.partners if beliefs.knows(other, Claim((), one)))
            yield Claim((), one)


def _lacked(situation: HouseSituation, said: Iterable[Claim]) -> list[Claim]:
    """Those claims that somebody lacks whom the agent can message."""
    targets = situation.view.briefing.targets
    return [
        one
        for one in dict.fromkeys(said)
        if any(target not in one.knowers[:1] and not situation.beliefs.knows(target, one) for target in targets)
    ]


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
    view, beliefs = situation.view, situation.beliefs
    plan = plan_alone(view.briefing, beliefs)
    found: list[HouseCommand] = []
    left = view.messages_left if view.briefing.targets else 0
    urgent = _lacked(situation, (Claim((), wanted(one)) for one in missing_of(situation, plan)))
    if urgent and left:
        found += filter(None, [message(_lacked(situation, sayable(situation, plan)))])
        left -= len(found)
    if len(plan.commands) > MOST_COMMANDS - 3:
        return [*found, *plan.commands[: MOST_COMMANDS - 3]]
    found += plan.commands
    news = [Claim((), one) for one in plan.reached if one not in beliefs.so and one not in view.briefing.wishes]
    report = _lacked(situation, news if urgent else (*news, *known_of(situation)))
    if report and left:
        found += filter(None, [message(report)])
    if looked := search(view.briefing, beliefs, missing_of(situation, plan)):
        return [*found, *looked][:MOST_COMMANDS]
    return [*(found or _nearer(situation, plan)), IDLE]


def _nearer(situation: HouseSituation, plan: PlanAlone) -> list[HouseCommand]:
    """How to bring to another agent what only others can bring to its place, once they had time to come for it."""
    view, beliefs = situation.view, situation.beliefs
    asked = [one.turn for one in situation.log if one.sender == situation.me]
    if asked and view.turn - asked[-1] < PATIENCE:
        return []
    brought = hand_over(view.briefing, beliefs, missing_of(situation, plan))
    if brought is None:
        return []
    commands, where = brought
    told = message([Claim((), where)]) if view.messages_left and view.briefing.targets else None
    return [*commands[: MOST_COMMANDS - 2], *filter(None, [told])]


# How a partner acts


@dataclass(frozen=True)
class _PartnerRule:
    """A way to act. likelihood: of an act noticed. foresee: the next act, by what the agent believes of the partner."""

    words: str
    likelihood: Callable[[PartnerAct], float]
    foresee: Callable[[HouseSituation, str, Sequence[PartnerAct]], NextAct]


def _pending(situation: HouseSituation, partner: str) -> list[Proposition]:
    """What is wanted, not yet so, and known to be wanted to a partner, as the agent believes; first what it can do."""
    beliefs, furniture = situation.beliefs, situation.view.briefing.plan.furniture
    asked = [one for one in beliefs.wants if one not in beliefs.so]
    known = [one for one in asked if beliefs.knows(partner, Claim((), wanted(one)))]
    mine = situation.view.briefing.barred

    def is_for_others(one: Proposition) -> bool:
        room = furniture.get(one.arguments[-1], one.arguments[-1])
        return room in mine and beliefs.may_enter(partner, room)

    return sorted(known, key=lambda one: not is_for_others(one))


def _reports(situation: HouseSituation, partner: str, history: Sequence[PartnerAct]) -> NextAct:
    """It writes of what it was asked to do; of what it wrote last, if it was asked nothing."""
    pending = _pending(situation, partner)
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
    plan = plan_alone(situation.view.briefing, situation.beliefs)
    if missing := missing_of(situation, plan):
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


def make_strategy(question: MakeHouseStrategy) -> HouseStrategyAnswer:
    return HouseStrategyAnswer(strategy=strategy_words(question.situation))


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
    """Yes to what it believes; no to what it believes to be otherwise; else it doesn't know."""
    return HouseProbeAnswer(answers=[_probed(question.situation, probe.about).value for probe in question.probes])


def _probed(situation: HouseSituation, about: Claim) -> ProbeAnswer:
    beliefs = situation.beliefs
    if about in beliefs.known if about.depth else about.proposition in beliefs.so:
        return ProbeAnswer.YES
    opposite = {IS_OPEN: IS_CLOSED, IS_CLOSED: IS_OPEN}.get(about.proposition.predicate)
    if opposite and Proposition(opposite, about.proposition.arguments) in beliefs.so:
        return ProbeAnswer.NO
    return ProbeAnswer.UNKNOWN


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
