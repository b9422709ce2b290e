"""The built-in reasoner's answers to the questions of a matrix game, each calculated from its question alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from hm_agent.agents.reflection import Critique
from hm_agent.core import Hypothesis
from hm_agent.questions import Question
from hm_agent.theory_of_mind.mind import HindsightAnswer, HypothesisAnswer, Outcome
from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.game import PlanAnswer
from hm_agent.worlds.melting_pot.games.matrix.best_response import (
    Distribution,
    PartnerChoice,
    best_target,
    expected_inventories,
    is_worthwhile,
)
from hm_agent.worlds.melting_pot.games.matrix.joint_questions import ReviseAndChoose, ReviseAndCounter
from hm_agent.worlds.melting_pot.games.matrix.plan_questions import EvaluatePlan, PlanSubgoals
from hm_agent.worlds.melting_pot.games.matrix.questions import (
    ChoiceAnswer,
    ChooseOpponents,
    CounterAnswer,
    FollowStrategy,
    InferInventory,
    InventoryAnswer,
    JudgeStrategy,
    MakeStrategy,
    MindAnswer,
    MindsAnswer,
    Opponent,
    PatientAnswer,
    PredictAndCounter,
    PredictionAnswer,
    PredictNext,
    ProposeHypothesis,
    ReadMinds,
    StrategyAnswer,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.inference import (
    likeliest_strategy,
    may_respond_to_observation,
    predict_behaviour,
    strategy_from_words,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.lookahead import best_behaviour
from hm_agent.worlds.melting_pot.games.matrix.reasoner.population import (
    choose_among,
    inventories_held,
    opponents_in,
    predict_all,
    unknown_opponent,
    with_hypothesis,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.revision import (
    likeliest_lead,
    revise_and_choose,
    revise_and_counter,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.routes import plan_route
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules, infer_inventory, reward

BEST_IF = "Hold what does best against a player of whom this is true: "
FIRST = "Hold one kind, to see what the other player holds."
LEAD = "Lead with {}, and meet those that lose to it."
TOLERANCE = 1e-9
"""The largest absolute reward that counts as neutral in hindsight."""


def infer(question: InferInventory) -> InventoryAnswer:
    rules = question.rules
    inventory, _ = infer_inventory(question.own, question.reward, rules.payoff, rules.initial_inventory)
    return InventoryAnswer(inventory=rules.by_name(inventory))


def propose(question: ProposeHypothesis) -> HypothesisAnswer:
    strategy = likeliest_strategy(question.rules, question.history, question.best)
    return HypothesisAnswer(
        reasoning=f"It explains the {len(question.history)} interactions so far best.", hypothesis=strategy.words
    )


def counter(question: PredictAndCounter) -> CounterAnswer:
    """Predicts the opponent's inventory given a hypothesis, and answers with what earns most against it."""
    rules, history = question.rules, question.history
    strategy = strategy_from_words(question.acted_on or "", rules, history)
    probabilities = predict_behaviour(strategy, history, question.present.taken if question.present else None)
    expected = expected_inventories(rules, history)
    believed = strategy if question.acted_on else None
    behaviour = None if rules.is_zero_sum else best_behaviour(rules, history, believed, certain=question.certain)
    target = best_target(rules, probabilities, expected, question.own, behaviour)
    return CounterAnswer(
        reasoning=_describe(rules, probabilities),
        others_predict=_others_predict(question),
        other_next=likeliest_lead(rules, probabilities, expected),
        own_next=rules.by_name(target),
        covert=may_respond_to_observation(rules, history),
    )


def _others_predict(question: PredictAndCounter | PredictNext) -> list[str]:
    """What each hypothesis but the last predicts."""
    return [_predicted(question, hypothesis.words) for hypothesis in question.hypotheses[:-1]]


def _predicted(question: PredictAndCounter | PredictNext, words: str) -> str:
    """The likeliest behaviour by a hypothesis."""
    rules, history = question.rules, question.history
    probabilities = predict_behaviour(strategy_from_words(words, rules, history), history, None)
    return rules.behaviours[probabilities.index(max(probabilities))]


def predict(question: PredictNext) -> PredictionAnswer:
    rules, history = question.rules, question.history
    words = question.hypotheses[-1].words if question.hypotheses else ""
    probabilities = predict_behaviour(strategy_from_words(words, rules, history), history, None)
    return PredictionAnswer(
        reasoning=_describe(rules, probabilities),
        others_predict=_others_predict(question),
        other_next=likeliest_lead(rules, probabilities, expected_inventories(rules, history)),
    )


def choose(question: ChooseOpponents) -> PatientAnswer:
    rules, opponents, own = question.rules, question.opponents, question.own
    predictions = predict_all(rules, opponents, question.step)
    said = "; ".join(f"{player} {_describe(rules, shares)}" for player, shares in predictions.items())
    best = choose_among(rules, opponents, predictions, own, question.step)
    if not is_worthwhile(rules, best, own):
        return PatientAnswer(reasoning=said, seek=[], own_next=rules.by_name(own), watch=True)
    return PatientAnswer(reasoning=said, seek=list(best.seek), own_next=rules.by_name(best.target))


def read_minds(question: ReadMinds) -> MindsAnswer:
    """Proposes a hypothesis for every player the agent interacted with, and answers with the best choice given them."""
    rules = question.rules
    opponents = [with_hypothesis(rules, opponent) for opponent in question.opponents]
    if rules.players > 2:
        predictions = predict_all(rules, opponents, question.step)
        best = choose_among(rules, opponents, predictions, question.own, question.step)
        expected = {player: rules.behaviours[shares.index(max(shares))] for player, shares in predictions.items()}
        return MindsAnswer(minds=_minds(opponents, expected), seek=list(best.seek), own_next=rules.by_name(best.target))
    (opponent,) = opponents
    believed = (opponent.hypothesis,) if opponent.hypothesis else ()
    answer = counter(
        PredictAndCounter(rules, question.step, opponent.history, believed, present=opponent.present, own=question.own)
    )
    expects = {opponent.player: answer.other_next.kind}
    return MindsAnswer(minds=_minds(opponents, expects), own_next=answer.own_next)


def _minds(opponents: Sequence[Opponent], expected: Mapping[str, str]) -> list[MindAnswer]:
    """The hypotheses about the players that have one. expected: the predicted behaviour of each player."""
    return [
        MindAnswer(player=each.player, hypothesis=each.hypothesis.words, next=expected[each.player])
        for each in opponents
        if each.hypothesis
    ]


def _describe(rules: MatrixRules, probabilities: Distribution) -> str:
    shares = ", ".join(f"{name} {share:.2f}" for name, share in zip(rules.behaviours, probabilities, strict=True))
    return f"Expected next: {shares}."


def make_strategy(question: MakeStrategy) -> StrategyAnswer:
    """Answers with the best response to the likeliest strategies of the others."""
    rules, history = question.rules, question.history
    if rules.players > 2:
        choice = _choice(question, None)
        words = LEAD.format(rules.behaviours[argmax(choice.target) or 0])
        return StrategyAnswer(strategy=words, seek=list(choice.seek), own_next=rules.by_name(choice.target))
    best = [Hypothesis(each.words.removeprefix(BEST_IF), each.value) for each in question.best]
    believed = likeliest_strategy(rules, history, best).words if history else None
    answer = _counter_to(rules, history, believed)
    return StrategyAnswer(strategy=BEST_IF + believed if believed else FIRST, seek=[], own_next=answer.own_next)


def follow_strategy(question: FollowStrategy) -> ChoiceAnswer:
    rules = question.rules
    if rules.players > 2:
        leads = [n for n, name in enumerate(rules.behaviours) if question.strategy == LEAD.format(name)]
        choice = _choice(question, leads[0] if leads else None)
        return ChoiceAnswer(seek=list(choice.seek), own_next=rules.by_name(choice.target))
    believed = question.strategy.removeprefix(BEST_IF)
    return ChoiceAnswer(seek=[], own_next=_counter_to(rules, question.history, believed).own_next)


def _counter_to(
    rules: MatrixRules, history: tuple[MatrixInteraction, ...], believed: str | None, own: Counts | None = None
) -> CounterAnswer:
    """The answer to a single hypothesis, None for no hypothesis."""
    hypotheses = (Hypothesis(believed),) if believed else ()
    step = history[-1].step if history else 0
    return counter(PredictAndCounter(rules, step, history, hypotheses, own=own))


def _choice(question: MakeStrategy | FollowStrategy, lead: int | None) -> PartnerChoice:
    """The inventory to hold among many players, and whom to seek. lead: the resource that must lead, if any."""
    rules = question.rules
    met = opponents_in(rules, question.history)
    known = {player: unknown_opponent(player) for player in question.players} | {each.player: each for each in met}
    step = question.history[-1].step if question.history else 0
    others, nothing = list(known.values()), (rules.initial_inventory,) * len(rules.behaviours)
    return choose_among(rules, others, predict_all(rules, others, step), nothing, step, lead)


def judge_strategy(question: JudgeStrategy) -> HindsightAnswer:
    paid = reward(question.instead, question.encounter.other, question.rules.payoff)
    if abs(paid) < TOLERANCE:
        return HindsightAnswer(outcome=Outcome.NEUTRAL)
    return HindsightAnswer(outcome=Outcome.POSITIVE if paid > 0 else Outcome.NEGATIVE)


def plan(question: PlanSubgoals) -> PlanAnswer:
    target = _target_from_history(question) if question.target is None else question.target
    return PlanAnswer(subgoals=[str(subgoal) for subgoal in plan_route(question, target)])


def _target_from_history(question: PlanSubgoals) -> Counts:
    """The target inventory for an agent that plans without a strategist, by the interactions so far."""
    rules, history, own = question.rules, question.history, question.inventory
    if rules.players > 2:
        met = opponents_in(rules, history)
        known = predict_all(rules, [*met, unknown_opponent("")], question.step)
        predictions = [known[opponent.player] for opponent in met]
        predictions += [known[""]] * (rules.players - 1 - len(met))
        mean = tuple(sum(shares) / len(predictions) for shares in zip(*predictions, strict=True))
        return best_target(rules, mean, inventories_held(rules, met), own)
    believed = likeliest_strategy(rules, history, ()).words if history else None
    answer = _counter_to(rules, history, believed, own)
    return rules.counts(answer.own_next)


def evaluate_plan(question: EvaluatePlan) -> Critique:
    """States what the plan earned or collected, which planning also finds in its question's history."""
    before, after = question.before, question.after
    steps = after.step - before.step
    if question.reward:
        verdict = "keep to what was held" if question.reward > 0 else "hold something else next time"
        return Critique(critique=f"In {steps} steps it was paid {question.reward:+.2f}: {verdict}.")
    gained = sum(after.inventory) - sum(before.inventory)
    if gained > 0:
        return Critique(critique=f"In {steps} steps it collected {gained}: go on.")
    return Critique(critique=f"In {steps} steps it brought nothing: look elsewhere.")


ANSWERS: Mapping[type[Question[Any]], Callable[[Any], BaseModel]] = {
    InferInventory: infer,
    ProposeHypothesis: propose,
    PredictAndCounter: counter,
    PredictNext: predict,
    ChooseOpponents: choose,
    PlanSubgoals: plan,
    ReadMinds: read_minds,
    MakeStrategy: make_strategy,
    FollowStrategy: follow_strategy,
    JudgeStrategy: judge_strategy,
    EvaluatePlan: evaluate_plan,
    ReviseAndCounter: revise_and_counter,
    ReviseAndChoose: revise_and_choose,
}
"""Which function answers which question."""
