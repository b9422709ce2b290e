"""The built-in reasoner's answers to the questions of a matrix game, each calculated from its question alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hm_agent.core import Hypothesis
from hm_agent.models.builtin import ReasonerTable
from hm_agent.repeated_games.payoffs import Shares
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
from hm_agent.theory_of_mind.mind import Outcome
from hm_agent.theory_of_mind.mind_questions import (
    AskProbes,
    Foresight,
    HypothesisAnswer,
    MindRead,
    MindsReadAnswer,
    Predict,
    Prediction,
    ProbesAnswer,
    Propose,
    ReadMinds,
    Revise,
)
from hm_agent.theory_of_mind.odds import likeliest
from hm_agent.theory_of_mind.odds_questions import GiveOdds
from hm_agent.theory_of_mind.seat_question import answer_about, answer_deciding
from hm_agent.theory_of_mind.situation import SeatSituation
from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.matrix.best_response import TYPICAL, expected_inventories
from hm_agent.worlds.melting_pot.games.matrix.map_seat import MatrixMapSeat
from hm_agent.worlds.melting_pot.games.matrix.questions import InferInventory, InventoryAnswer
from hm_agent.worlds.melting_pot.games.matrix.reasoner.inference import (
    likeliest_strategy,
    predict_behaviour,
    strategy_from_words,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.odds import give_odds
from hm_agent.worlds.melting_pot.games.matrix.reasoner.population import (
    choice_among,
    inventories_held,
    opponents_of,
    predict_all,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.revision import (
    History,
    counter,
    foreseen_by_creed,
    likeliest_lead,
    revise,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.routes import look_for_players, plan_route
from hm_agent.worlds.melting_pot.games.matrix.rules import (
    MatrixRules,
    PartnerEvidence,
    infer_inventory,
    matrix_interactions,
    reward,
)
from hm_agent.worlds.melting_pot.games.matrix.seat import AgainstOne, AmongMany, MatrixSeat, NextLead
from hm_agent.worlds.melting_pot.planning.calls import Call, FireAt, MoveTo, Shadow, SubstratePlanRecord

BEST_IF = "Hold what does best against a player of whom this is true: "
FIRST = "Hold one kind, to see what the other player holds."
LEAD = "Lead with {}, and meet those that lose to it."
"""The strategies, in words, that the reasoner makes for the agent."""
TOLERANCE = 1e-9
"""The largest absolute reward that counts as neutral in hindsight."""


def infer(question: InferInventory) -> InventoryAnswer:
    rules = question.rules
    inventory, _ = infer_inventory(
        question.own, question.reward, rules.payoff, PartnerEvidence(rules.initial_inventory)
    )
    return InventoryAnswer(inventory=rules.by_name(inventory))


def _seat(question: Any) -> MatrixSeat:
    assert isinstance(question.situation, MatrixSeat)
    return question.situation


def _describe(rules: MatrixRules, probabilities: Shares) -> str:
    shares = ", ".join(f"{name} {share:.2f}" for name, share in zip(rules.behaviours, probabilities, strict=True))
    return f"Expected next: {shares}."


# What others are like


def propose(question: Propose) -> HypothesisAnswer:
    strategy = likeliest_strategy(_seat(question).rules, matrix_interactions(question.history), question.best)
    return HypothesisAnswer(
        reasoning=f"It explains the {len(question.history)} interactions so far best.", hypothesis=strategy.words
    )


def predict(question: Predict) -> Foresight[Any]:
    """Predicts by each hypothesis; where a strategy is asked for, the last prediction also counts the pickups."""
    seat, history = _seat(question), matrix_interactions(question.history)
    words = [hypothesis.words for hypothesis in question.hypotheses] or [""]
    foreseen = [_foresee(seat.rules, history, each) for each in words]
    if not question.decides:
        foresight: type[Foresight[Any]] = answer_about(Foresight, seat)
        return foresight(player=question.about, next=foreseen)
    decided, probabilities = counter(seat, history, words[-1], certain=question.certain)
    prediction: type[Prediction[Any, Any]] = answer_deciding(Prediction, seat)
    return prediction(
        reasoning=_describe(seat.rules, probabilities),
        player=question.about,
        next=[*foreseen[:-1], decided.expects],
        strategy=decided,
    )


def _foresee(rules: MatrixRules, history: History, words: str) -> NextLead:
    """What a player does next by a hypothesis, whatever it was seen to take."""
    probabilities = predict_behaviour(strategy_from_words(words, rules, history), rules, history, None)
    return likeliest_lead(rules, probabilities, expected_inventories(rules, history))


def read_minds(question: ReadMinds) -> MindsReadAnswer[Any, Any]:
    """Proposes a hypothesis for every player the agent interacted with, and answers with the best choice given them."""
    seat, history = _seat(question), matrix_interactions(question.history)
    opponents = opponents_of(seat, history)
    if len(opponents) > 1:
        strategy: AgainstOne | AmongMany = choice_among(seat, opponents)
        expected = inventories_held(seat.rules, opponents)
        odds = predict_all(seat.rules, opponents, seat.step)
        foreseen = {player: likeliest_lead(seat.rules, shares, expected) for player, shares in odds.items()}
    else:
        (opponent,) = opponents
        strategy, _ = counter(seat, history, opponent.believed or "")
        strategy.expects.count = TYPICAL
        foreseen = {opponent.player: strategy.expects}
    mind: type[MindRead[Any]] = answer_about(MindRead, seat)
    minds = [
        mind(player=each.player, hypothesis=each.believed, next=foreseen[each.player])
        for each in opponents
        if each.believed
    ]
    answer: type[MindsReadAnswer[Any, Any]] = answer_deciding(MindsReadAnswer, seat)
    return answer(minds=minds, strategy=strategy)


def probe(question: AskProbes) -> ProbesAnswer:
    """What the opponent of a matched pair plays."""
    seat = _seat(question)
    shares = foreseen_by_creed(seat)
    assert shares, "it is asked in pairs alone"
    return ProbesAnswer(answers=[seat.rules.behaviours[likeliest(shares)]])


# What to do


def choose_strategy(question: ChooseStrategy) -> StrategyAnswer[Any]:
    """Answers with the best response to what is believed of the others; for a rule, to their likeliest strategies."""
    seat, history = _seat(question), matrix_interactions(question.history)
    if not question.is_rule:
        believed = {belief.name: belief.hypothesis for belief in question.others}
        opponents = opponents_of(seat, seat.interactions, believed)
        odds = predict_all(seat.rules, opponents, seat.step)
        reasoning = "; ".join(f"{player} {_describe(seat.rules, shares)}" for player, shares in odds.items())
        return StrategyAnswer(reasoning=reasoning, strategy=choice_among(seat, opponents))
    if len(seat.others) > 1:
        choice = choice_among(seat, opponents_of(seat, history))
        choice.words = LEAD.format(max(choice.hold, key=choice.hold.__getitem__))
        return StrategyAnswer(strategy=choice)
    best = [Hypothesis(each.words.removeprefix(BEST_IF), each.value) for each in question.best]
    believed_of_one = likeliest_strategy(seat.rules, history, best).words if history else ""
    decided, _ = counter(seat, history, believed_of_one)
    decided.words = BEST_IF + believed_of_one if believed_of_one else FIRST
    return StrategyAnswer(strategy=decided)


def follow_strategy(question: FollowStrategy) -> StrategyAnswer[Any]:
    seat, history = _seat(question), matrix_interactions(question.history)
    if len(seat.others) > 1:
        leads = [n for n, name in enumerate(seat.rules.behaviours) if question.strategy == LEAD.format(name)]
        return StrategyAnswer(strategy=choice_among(seat, opponents_of(seat, history), leads[0] if leads else None))
    decided, _ = counter(seat, history, question.strategy.removeprefix(BEST_IF))
    return StrategyAnswer(strategy=decided)


def judge_strategy(question: JudgeStrategy) -> HindsightAnswer:
    (met,) = matrix_interactions([question.interaction])
    paid = reward(question.instead, met.other, _seat(question).rules.payoff)
    if abs(paid) < TOLERANCE:
        return HindsightAnswer(outcome=Outcome.NEUTRAL)
    return HindsightAnswer(outcome=Outcome.POSITIVE if paid > 0 else Outcome.NEGATIVE)


# Plans


def plan(question: Plan) -> CallsAnswer:
    """Plans for the target of the strategy or, without a strategist, for what the interactions and pickups suggest."""
    seat, history = _map_seat(question.situation), matrix_interactions(question.history)
    if seat.is_watching:
        return _as_answer(look_for_players(seat))
    if seat.target is not None:
        return _as_answer(plan_route(seat, seat.target))
    if seat.rules.players > 2:
        choice = choice_among(seat, opponents_of(seat, history))
        if choice.watch:
            return _as_answer(look_for_players(seat))
        seek = () if {*seat.players} <= {*choice.seek} else choice.seek
        return _as_answer(plan_route(seat, _adjusted_to_critiques(question, seat.rules.counts(choice.hold)), seek=seek))
    answer, _ = counter(seat, history, likeliest_strategy(seat.rules, history, ()).words if history else "")
    target = _adjusted_to_critiques(question, seat.rules.counts(answer.hold))
    route = plan_route(seat, target, watch=answer.watch and not _has_watched(question), covert=answer.covert)
    return _as_answer(route)


def _map_seat(situation: SeatSituation) -> MatrixMapSeat:
    assert isinstance(situation, MatrixMapSeat)
    return situation


def _has_watched(question: Plan) -> bool:
    """True if the agent has collected something since the latest interaction, or its plan before was to watch."""
    calls, seat = question.previous.calls if question.previous else (), _map_seat(question.situation)
    return seat.rules.is_armed(seat.held) or any(isinstance(call, Shadow) for call in calls)


def _adjusted_to_critiques(question: Plan, target: Counts) -> Counts:
    """The target with one unit of its main kind less or more for each critique that says so; that kind still leads."""
    main = argmax(target)
    if main is None:
        return target
    change = sum((MORE in critique) - (FEWER in critique) for critique in question.critiques)
    least = max(count for kind, count in enumerate(target) if kind != main) + 1
    return tuple(max(least, count + change) if kind == main else count for kind, count in enumerate(target))


def _as_answer(plan: Sequence[Call]) -> CallsAnswer:
    return CallsAnswer(calls=[str(call) for call in plan])


FEWER = "plan fewer things, for it met me before I had them all"
MORE = "plan more things, for nobody came while I searched"
"""What critiques advise; later plans of the reasoner follow it."""


def review_plan(question: ReviewPlan) -> Critique:
    """States what the plan earned or collected, and whether the next plans should collect fewer or more things."""
    verdict, plan = _verdict(question), question.plan
    has_shot = isinstance(plan, SubstratePlanRecord) and plan.shot is not None
    if question.history and not has_shot and any(isinstance(call, MoveTo) for call in plan.left):
        return Critique(critique=f"{verdict} Next time {FEWER}.")
    if not question.history and not question.reward and plan.calls and isinstance(plan.calls[-1], FireAt):
        return Critique(critique=f"{verdict} Next time {MORE}.")
    return Critique(critique=verdict)


def _verdict(question: ReviewPlan) -> str:
    before, after = _map_seat(question.before), _map_seat(question.situation)
    steps = after.step - before.step
    if question.reward:
        verdict = "keep to what was held" if question.reward > 0 else "hold something else next time"
        return f"In {steps} steps it was paid {question.reward:+.2f}: {verdict}."
    gained = sum(after.held) - sum(before.held)
    if gained > 0:
        return f"In {steps} steps it collected {gained}: go on."
    return f"In {steps} steps it brought nothing: look elsewhere."


ANSWERS: ReasonerTable = {
    InferInventory: infer,
    GiveOdds: give_odds,
    Propose: propose,
    Predict: predict,
    AskProbes: probe,
    Revise: revise,
    ReadMinds: read_minds,
    ChooseStrategy: choose_strategy,
    FollowStrategy: follow_strategy,
    JudgeStrategy: judge_strategy,
    Plan: plan,
    ReviewPlan: review_plan,
}
"""Which function answers which question."""
