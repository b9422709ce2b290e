"""The built-in reasoner's answers to the questions of a kitchen, each calculated from its question alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hm_agent.models.builtin import ReasonerTable
from hm_agent.theory_of_mind.decision_questions import (
    CallsAnswer,
    ChooseStrategy,
    Critique,
    FollowStrategy,
    HindsightAnswer,
    JudgeStrategy,
    Plan,
    ReviewPlan,
    StrategyAnswer,
)
from hm_agent.theory_of_mind.mind import MOST_HYPOTHESES, Outcome
from hm_agent.theory_of_mind.mind_questions import (
    Foresight,
    HypothesisAnswer,
    MindRead,
    MindsReadAnswer,
    Predict,
    Propose,
    ReadMinds,
    Revise,
    RevisedBeliefs,
    RevisedMind,
)
from hm_agent.theory_of_mind.situation import SeatSituation
from hm_agent.worlds.melting_pot.games.cooking.failures import CritiqueInteraction
from hm_agent.worlds.melting_pot.games.cooking.kitchen import COOKED, DISH, POT, SOUP, TOMATO, Station, count
from hm_agent.worlds.melting_pot.games.cooking.reasoner.beam_search import BeamSearch
from hm_agent.worlds.melting_pot.games.cooking.reasoner.teammate_model import (
    LIBRARY,
    TeammateStrategy,
    likeliest_strategy,
    posterior,
    predict_behaviour,
)
from hm_agent.worlds.melting_pot.games.cooking.roles import (
    BEHAVIOURS,
    EVERYTHING,
    LOADS,
    OWN_PART,
    SERVES,
    KitchenStrategy,
    strategy_for,
    team_strategy,
)
from hm_agent.worlds.melting_pot.games.cooking.room_seat import KitchenRoomSeat
from hm_agent.worlds.melting_pot.games.cooking.rounds import KitchenInteraction
from hm_agent.worlds.melting_pot.games.cooking.seat import KitchenSeat, NextRound, SharedWork
from hm_agent.worlds.melting_pot.grid import distance, nearest
from hm_agent.worlds.melting_pot.planning.calls import Call, MoveTo, SubstratePlanRecord, Wait

COVERS = {LOADS: {LOADS}, SERVES: {SERVES}, EVERYTHING: {LOADS, SERVES}}
"""The work that each role does."""
ALONE_WITH_ONE = 2
"""The number of cooks in a kitchen with one teammate."""


def propose(question: Propose) -> HypothesisAnswer:
    strategy = likeliest_strategy(_rounds(question), question.best)
    return HypothesisAnswer(
        reasoning=f"It explains the latest {len(question.history)} rounds best.", hypothesis=strategy.words
    )


def _rounds(question: Any) -> Sequence[KitchenInteraction]:
    """The interactions that a question shows: in a kitchen, rounds."""
    rounds: Sequence[KitchenInteraction] = question.history
    return rounds


def predict(question: Predict) -> Foresight[NextRound]:
    words: list[str | None] = [hypothesis.words for hypothesis in question.hypotheses]
    behaviours = [NextRound(does=_predicted(each, question)) for each in words or [None]]
    return Foresight[NextRound](player=question.about, next=behaviours)


def _predicted(words: str | None, question: Any) -> str:
    """The behaviour that a hypothesis predicts."""
    seat: KitchenSeat = question.situation
    return predict_behaviour(words, _rounds(question), seat.pace, seat.rules.cooking_steps)


def choose(question: ChooseStrategy) -> StrategyAnswer[SharedWork]:
    """Complements what is expected of the teammate; without beliefs about it, what its likeliest strategy predicts."""
    if question.is_rule:
        return make_strategy(question)
    return StrategyAnswer[SharedWork](
        strategy=_beside_all({each.name: each.expected for each in question.others}, question)
    )


def _beside_all(expected: Mapping[str, str | None], question: Any) -> SharedWork:
    """The strategy that complements the behaviours expected of the teammates, by name; None for an unknown one."""
    seat: KitchenSeat = question.situation
    known = {player: behaviour for player, behaviour in expected.items() if behaviour}
    if seat.rules.cooks == ALONE_WITH_ONE or not known:
        return _beside(next(iter(known.values()), None))
    ((commonest, _),) = Counter(known.values()).most_common(1)
    return _shared(team_strategy(known, seat.loading_share), commonest)


def _beside(expected: str | None) -> SharedWork:
    """The strategy that complements the behaviour expected of the teammate, None if nothing is known of it."""
    return _shared(strategy_for(expected), expected or BEHAVIOURS[-1])


def _shared(strategy: KitchenStrategy, expects: str) -> SharedWork:
    assert strategy.role is not None
    return SharedWork(words=strategy.words, expects=expects, role=strategy.role)


def make_strategy(question: ChooseStrategy) -> StrategyAnswer[SharedWork]:
    """Answers with the role that complements the teammate's likeliest strategy."""
    rounds = _rounds(question)
    beside = _beside(_predicted(likeliest_strategy(rounds, ()).words, question) if rounds else None)
    return StrategyAnswer[SharedWork](strategy=beside.model_copy(update={"words": OWN_PART[beside.role]}))


def read_minds(question: ReadMinds) -> MindsReadAnswer[NextRound, SharedWork]:
    """Proposes a hypothesis about the teammate and answers with the role that complements its prediction."""
    minds = []
    for teammate in question.players:
        own = replace(question, history=tuple(each for each in _rounds(question) if each.partner == teammate))
        believed = likeliest_strategy(_rounds(own), ())
        expected = NextRound(does=_predicted(believed.words, own))
        minds.append(MindRead[NextRound](player=teammate, hypothesis=believed.words, next=expected))
    strategy = _beside_all({mind.player: mind.next.does for mind in minds}, question)
    return MindsReadAnswer[NextRound, SharedWork](minds=minds, strategy=strategy)


def revise(question: Revise) -> RevisedBeliefs[NextRound, SharedWork]:
    """Keeps the likeliest strategies and acts on the behaviour that is likeliest in view of all."""
    if question.about is None:
        return RevisedBeliefs[NextRound, SharedWork](hypotheses=[], strategy=_beside(None))
    chances = posterior(_rounds(question), question.hypotheses)
    likeliest = sorted(LIBRARY, key=lambda strategy: -chances[strategy])[:MOST_HYPOTHESES]
    numbers = {hypothesis.words: number for number, hypothesis in enumerate(question.hypotheses, 1)}
    # The likeliest comes last, since agents that act on a single hypothesis act on the last one.
    revised = [
        RevisedMind[NextRound](
            of=numbers.get(each.words, 0),
            hypothesis="" if each.words in numbers else each.words,
            next=NextRound(does=_predicted(each.words, question)),
        )
        for each in reversed(likeliest)
    ]
    others = {each.name: each.expected for each in question.others}
    strategy = _beside_all({question.about: _likeliest_behaviour(chances, question), **others}, question)
    return RevisedBeliefs[NextRound, SharedWork](hypotheses=revised, strategy=strategy)


def _likeliest_behaviour(chances: Mapping[TeammateStrategy, float], question: Revise) -> str:
    """The behaviour with the highest probability, summed over the strategies that predict it."""
    weights: dict[str, float] = defaultdict(float)
    for strategy, chance in chances.items():
        weights[_predicted(strategy.words, question)] += chance
    return max(weights, key=lambda behaviour: weights[behaviour])


def follow_strategy(question: FollowStrategy) -> StrategyAnswer[SharedWork]:
    role = next((role for role, words in OWN_PART.items() if words == question.strategy), EVERYTHING)
    return StrategyAnswer[SharedWork](strategy=SharedWork(expects=BEHAVIOURS[-1], role=role))


def judge_strategy(question: JudgeStrategy) -> HindsightAnswer:
    """Judges a role as positive if the two cooks together would have done all work, as neutral otherwise."""
    covered = COVERS.get(question.instead.role, set()) | COVERS.get(question.interaction.behaviour or "", set())
    return HindsightAnswer(outcome=Outcome.POSITIVE if covered >= {LOADS, SERVES} else Outcome.NEUTRAL)


def plan(question: Plan) -> CallsAnswer:
    """Explores the agent's room first, then searches for the best plan; waits at a pot where there is none."""
    seat = _room_seat(question.situation)
    calls = _explore(seat) or BeamSearch(seat).best_plan() or [_wait(seat)]
    return CallsAnswer(calls=[str(call) for call in calls])


def _wait(seat: KitchenRoomSeat) -> Call:
    """Waits where things are handed over, else at the first pot; holding soup, which neither takes, on the spot."""
    places = seat.handover or [pot.cell for pot in seat.pots if pot.cell in seat.reach]
    can_wait = places and seat.hands != SOUP
    return Wait(places[len(places) // 2 if seat.handover else 0]) if can_wait else MoveTo(seat.pose.cell)


def _room_seat(situation: SeatSituation) -> KitchenRoomSeat:
    """The situation of a question about plans, which shows the agent's room."""
    assert isinstance(situation, KitchenRoomSeat)
    return situation


def _explore(seat: KitchenRoomSeat) -> list[Call]:
    """Moves to the nearest cell next to a counter that was never in view; no call if there is none."""
    if not seat.unseen:
        return []
    here = seat.pose.cell
    near = [cell for cell in seat.floor if any(distance(cell, dark) == 1 for dark in seat.unseen)]
    place = nearest(here, (cell for cell in near if cell != here))
    return [MoveTo(place)] if place else []


def criticise(question: CritiqueInteraction) -> Critique:
    return Critique(critique=_reason(question.hands, question.before, question.rules.tomatoes))


def _reason(hands: str | None, used: Station | None, tomatoes: int) -> str:
    """Why, by the rules of the kitchen, using a station changed nothing. hands: what the cook held."""
    if used is None:
        return "Nothing lies there, and you hold nothing to put down."
    if not used.kind.startswith(POT):
        if hands is not None:
            return f"With a {hands} in your hands you can take nothing there: use it or put it down first."
        return "It takes soup, and nothing else."
    if hands == TOMATO:
        return f"The pot holds {tomatoes} tomatoes already: fill another, or wait until its soup is taken."
    if hands == DISH and used.mark != COOKED:
        return "Its soup is not cooked yet: fill the pot if it has room, and wait until the soup is cooked."
    if hands == SOUP:
        return "A pot takes no soup back: deliver it."
    return "A pot takes only a tomato or a dish: fetch one first."


def review_plan(question: ReviewPlan) -> Critique:
    """States what failed or what the plan earned; the reasoner's own planning sees as much in its question."""
    before, now, plan = _room_seat(question.before), _room_seat(question.situation), question.plan
    if isinstance(plan, SubstratePlanRecord) and plan.failed is not None:
        return Critique(critique=f"{plan.failed} changed nothing: look at your hands and the pots before any use.")
    soups = round(question.reward / now.rules.reward)
    earned = f"{count('soup', soups)} delivered in {count('step', now.step - before.step)}"
    return Critique(critique=f"{earned}: {'go on' if soups else 'do what is missing most'}.")


ANSWERS: ReasonerTable = {
    Propose: propose,
    Predict: predict,
    Revise: revise,
    ReadMinds: read_minds,
    ChooseStrategy: choose,
    FollowStrategy: follow_strategy,
    JudgeStrategy: judge_strategy,
    Plan: plan,
    ReviewPlan: review_plan,
    CritiqueInteraction: criticise,
}
"""Which function answers which question."""
