"""The built-in reasoner's answers to the questions about a household, each calculated from its question alone.

It writes and reads sentences of one fixed form (`sentences.py`) and understands no other words of its partners.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import log

from hm_agent.models.builtin import ReasonerTable
from hm_agent.theory_of_mind.decision_questions import Plan, ReviewPlan
from hm_agent.theory_of_mind.written_reasoner import WrittenReasoner
from hm_agent.worlds.enacttom.house.commands import EVERYONE, HANDLING, IDLE, HouseCommand, Verb, communicate
from hm_agent.worlds.enacttom.language.report_questions import AskReports, WrittenReport, WrittenReports
from hm_agent.worlds.enacttom.language.situation import (
    HANDLES,
    MOST_COMMANDS,
    NOTHING,
    WRITES,
    HouseSituation,
    NextAct,
    PartnerAct,
)
from hm_agent.worlds.enacttom.language.understanding import (
    Understanding,
    character_model_of,
    understanding_of,
)
from hm_agent.worlds.enacttom.language.written_commands import LONGEST_MESSAGE
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition, wanted

PATIENCE = 3
"""How many turns after its latest message an agent waits for the others, before it brings objects to them."""
HANDLE_FACTS = (Is.INVERSE, Is.MIRRORS, Is.CONTROLS)
"""The predicates of facts about handles; the agents that turn these need to know them."""


# What to say


def claims_to_tell(agent: Understanding) -> Iterator[Claim]:
    """Claims worth telling, the most urgent first: goals for others to reach, what helps them, and what is reached."""
    yield from (Claim((), wanted(goal)) for goal in agent.missing)
    handles = (fact for fact in agent.mind.facts if fact.predicate in HANDLE_FACTS)
    yield from (Claim((), fact) for fact in sorted(handles, key=str))
    places = (agent.place_of(goal.arguments[0]) for goal in agent.missing)
    yield from (Claim((), place) for place in places if place)
    yield from goals_known_reached(agent)


def goals_known_reached(agent: Understanding) -> Iterator[Claim]:
    """For each shared goal that the agent knows to hold: who else knows that it holds, then that it holds."""
    for goal in agent.shared_goals:
        if agent.mind.beliefs.knows(goal):
            yield from (Claim((other,), goal) for other in sorted(agent.mind.notes.knowers(goal)))
            yield Claim((), goal)


def message(claims: Sequence[Claim], most: int | None = None) -> HouseCommand | None:
    """A message to all with as many of the claims as it has room for, at most `most`; None if there are none."""
    text, covered = "", list[Claim]()
    for claim in claims:
        if most is not None and len(covered) == most:
            break
        if any(_implies(other, claim) for other in covered):
            continue
        longer = f"{text} {claim.words}.".strip()
        if len(longer) <= LONGEST_MESSAGE:
            text, covered = longer, [*covered, claim]
    return communicate(text, [EVERYONE]) if text else None


def _implies(claim: Claim, other: Claim) -> bool:
    """True if `claim` makes `other` superfluous: that an agent knows a proposition implies the proposition."""
    return claim.proposition == other.proposition and other.depth == 0 and claim.depth > 0


# What to do


def best_commands(situation: HouseSituation) -> list[HouseCommand]:
    """The plan: tell the others what only they can do, do what the agent can do alone, report it; then search or wait.

    With nothing else to do and nothing to look for, the agent hands an object over to others, if there is one for them.
    Among characters it plans against their rules.
    """
    if model := character_model_of(situation):
        return model.plan()[:MOST_COMMANDS] or [IDLE]
    agent = understanding_of(situation)
    plan: list[HouseCommand] = []
    messages_left = agent.view.messages_left if agent.briefing.targets else 0
    search = agent.search()
    for_others = [goal for goal in agent.missing if not (search and agent.needs_search(goal))]
    requests = agent.news_among(Claim((), wanted(goal)) for goal in for_others)
    if requests and messages_left:
        plan += filter(None, [message(agent.news_among(claims_to_tell(agent)), agent.briefing.most_facts)])
        messages_left -= len(plan)
    if len(agent.commands) > MOST_COMMANDS - 3:
        return [*plan, *agent.commands[: MOST_COMMANDS - 3]]
    plan += agent.commands
    news = [Claim((), goal) for goal in agent.shared_goals if goal in agent.reached and not agent.believes(goal)]
    report = agent.news_among(news if requests else (*news, *goals_known_reached(agent)))
    if report and messages_left:
        plan += filter(None, [message(report, agent.briefing.most_facts)])
    if search:
        return [*plan, *(command for command in search if command not in plan)][:MOST_COMMANDS]
    return [*(plan or _hand_over(situation, agent)), IDLE]


def _hand_over(situation: HouseSituation, agent: Understanding) -> list[HouseCommand]:
    """Commands that bring an object to where others can take it; none until PATIENCE turns after the last message."""
    sent = [logged.turn for logged in situation.log if logged.sender == situation.me]
    if sent and agent.view.turn - sent[-1] < PATIENCE:
        return []
    hand_over = agent.hand_over()
    if hand_over is None:
        return []
    commands, place = hand_over
    news = message([Claim((), place)]) if agent.view.messages_left and agent.briefing.targets else None
    return [*commands[: MOST_COMMANDS - 2], *filter(None, [news])]


# How a partner acts


@dataclass(frozen=True)
class _PartnerRule:
    """A way in which a partner acts. likelihood: of an act that was noticed. foresee: predicts the next act."""

    words: str
    likelihood: Callable[[PartnerAct], float]
    foresee: Callable[[HouseSituation, str, Sequence[PartnerAct]], NextAct]


def _open_goals_known_to(agent: Understanding, partner: str) -> list[Proposition]:
    """The open shared goals of which a partner knows, as far as the agent knows; first those that it can reach."""
    still_open = [goal for goal in agent.shared_goals if not agent.believes(goal)]
    heard = [goal for goal in still_open if partner in agent.mind.notes.knowers(wanted(goal))]
    return sorted(heard, key=lambda goal: partner not in agent.mind.routes.doers(goal, agent.mind.facts))


def _reports(situation: HouseSituation, partner: str, history: Sequence[PartnerAct]) -> NextAct:
    """The partner writes about an open goal that it knows of; without any, about what it wrote last."""
    if pending := _open_goals_known_to(understanding_of(situation), partner):
        return NextAct(does=WRITES, about=pending[0].arguments[0])
    return _goes_on(WRITES, situation, partner, history)


def _goes_on(does: str, situation: HouseSituation, partner: str, history: Sequence[PartnerAct]) -> NextAct:
    """The partner writes or handles again what it wrote about or handled last."""
    last = next((act for act in reversed(history) if act.does == does and act.things), None)
    return NextAct(does=does, about=last.things[0] if last else NOTHING)


def _by_kind(asks: float, reports: float, handles: float) -> Callable[[PartnerAct], float]:
    """Returns a likelihood that depends on the kind of act alone; a message asks for something or reports something."""
    return lambda act: handles if act.does == HANDLES else asks if _REQUEST.search(act.text) else reports


_REQUEST = re.compile(r"\bmust\b|\?|\bplease\b", re.IGNORECASE)
RULES = (
    _PartnerRule(
        "It says what it can't do itself, does what it is told to be wanted, and then writes that it is done.",
        _by_kind(0.4, 0.4, 0.15),
        _reports,
    ),
    _PartnerRule(
        "It writes what it alone knows to be wanted, and leaves it to the others.",
        _by_kind(0.6, 0.1, 0.05),
        partial(_goes_on, WRITES),
    ),
    _PartnerRule(
        "It works on its own wishes and writes little.", _by_kind(0.05, 0.05, 0.6), partial(_goes_on, HANDLES)
    ),
)
TRUST = 0.4
"""About the share of its predictions that come true, in the tasks `enacttom_mixed_*`."""
PRIOR = (1.0, 0.0, 0.0)
"""The logarithm of each rule's prior weight, before any act was noticed."""
OF_A_CHARACTER = "It keeps to the rules that are told of it."


def _weigh(situation: HouseSituation, about: str, history: Sequence[PartnerAct]) -> Mapping[str, float]:
    if character_model_of(situation):
        return {OF_A_CHARACTER: 0.0}
    return {
        rule.words: prior + sum(log(rule.likelihood(act)) for act in history)
        for rule, prior in zip(RULES, PRIOR, strict=True)
    }


def foresee(words: str | None, situation: HouseSituation, about: str, history: Sequence[PartnerAct]) -> NextAct:
    """Predicts a partner's next act by a hypothesis; None and words that are no rule's count as the first rule.

    A character does what the rules that are told of it say.
    """
    if model := character_model_of(situation):
        return _act(situation, next((command for name, command in model.foreseen() if name == about), IDLE))
    rule = next((rule for rule in RULES if rule.words == words), RULES[0])
    act = rule.foresee(situation, about, history)
    return act if act.about in situation.things else NextAct(does=act.does, about=NOTHING)


def _act(situation: HouseSituation, command: HouseCommand) -> NextAct:
    """A partner's command as an act that the agent notices; one that it does not notice counts as silent handling."""
    if command.verb == Verb.COMMUNICATE:
        return NextAct(does=WRITES, about=next(iter(situation.mentioned(command.text)), NOTHING))
    return NextAct(does=HANDLES, about=command.arguments[0] if command.verb in HANDLING else NOTHING)


def strategy_words(situation: HouseSituation) -> str:
    """The best strategy in the present situation, in words."""
    if missing := understanding_of(situation).missing:
        return f"Do what is wanted; let the others know that {missing[0].words} is for them to bring about."
    return "Do what is wanted, and tell the others once it is done."


# Answers


def _calls(situation: HouseSituation, question: Plan) -> Sequence[str]:
    commands = best_commands(situation)
    return [_as_written(command) for command in ([IDLE] if commands[0] == question.barred_call else commands)]


def _as_written(command: HouseCommand) -> str:
    """The command as the prompt asks for it: a message in single quotes."""
    if command.text:
        return f"{command.verb}['{command.text}', {', '.join(command.arguments)}]"
    return str(command)


def _review(question: ReviewPlan) -> str:
    """States how much of the plan was carried out, with advice if that was not all of it."""
    done, count = question.plan.done, question.plan.of
    advice = "go on like this" if done == count else "look whether what a command needs is so before you plan it"
    return f"{done} of {count} commands carried out: {advice}."


def answer_probes(situation: HouseSituation, claims: Sequence[str]) -> Sequence[str]:
    """Answers each probe of the last view as a ladder agent with the same beliefs does."""
    mind = understanding_of(situation).mind
    return [mind.answer(probe).value for probe in situation.view.closed_probes]


def answer_reports(question: AskReports) -> WrittenReports:
    """Reports on each open probe of the last view as a ladder agent with the same beliefs does."""
    mind = understanding_of(question.situation).mind
    reports = {probe.name: mind.report(probe) for probe in question.situation.view.open_probes}
    return WrittenReports(
        answers=[
            WrittenReport(probe_id=name, predicate=report.predicate, holds=report.holds, args=list(report.args))
            for name, report in reports.items()
        ]
    )


def _knows(situation: HouseSituation, about: str) -> Collection[str]:
    notes = understanding_of(situation).mind.notes
    return [fact.words for fact in situation.facts_others_may_know if about in notes.knowers(fact)]


REASONER = WrittenReasoner(
    HouseSituation, _weigh, foresee, strategy_words, _calls, _review, answer_probes, _knows, TRUST
)
ANSWERS: ReasonerTable = {**REASONER.answers, AskReports: answer_reports}
