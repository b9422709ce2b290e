"""The built-in reasoner's answers to the questions of a matrix game, each calculated from its question alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hm_agent.agents.reflection import Critique
from hm_agent.core import Hypothesis
from hm_agent.models.builtin import ReasonerTable
from hm_agent.theory_of_mind.mind import HindsightAnswer, HypothesisAnswer, Outcome
from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.game import PlanAnswer
from hm_agent.worlds.melting_pot.games.matrix.best_response import (
    Distribution,
    best_target,
    expected_inventories,
    is_worthwhile,
    pays_to_watch,
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
    known_opponents,
    predict_all,
    with_hypothesis,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.revision import (
    likeliest_lead,
    revise_and_choose,
    revise_and_counter,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.routes import look_for_players, plan_route
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixRules, PartnerEvidence, infer_inventory, reward
from hm_agent.worlds.melting_pot.planning.subgoals import FireAt, MoveTo, Subgoal

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


def propose(question: ProposeHypothesis) -> HypothesisAnswer:
    strategy = likeliest_strategy(question.rules, question.history, question.best)
    return HypothesisAnswer(
        reasoning=f"It explains the {len(question.history)} interactions so far best.", hypothesis=strategy.words
    )


def counter(question: PredictAndCounter) -> CounterAnswer:
    """Predicts the opponent's inventory given a hypothesis, and answers with what earns most against it."""
    rules, history = question.rules, question.history
    strategy = strategy_from_words(question.acted_on or "", rules, history)
    probabilities = predict_behaviour(strategy, rules, history, question.present.taken if question.present else None)
    expected = expected_inventories(rules, history)
    believed = strategy if question.acted_on else None
    behaviour = None if rules.is_zero_sum else best_behaviour(rules, history, believed, certain=question.certain)
    target = best_target(rules, probabilities, expected, question.own, behaviour)
    return CounterAnswer(
        reasoning=_describe(rules, probabilities),
        others_predict=_others_predict(question),
        other_next=likeliest_lead(rules, probabilities, expected),
        own_next=rules.by_name(target),
        watch=pays_to_watch(rules, probabilities, expected, question.own),
        covert=may_respond_to_observation(rules, history),
    )


def _others_predict(question: PredictAndCounter | PredictNext) -> list[str]:
    """What each hypothesis but the last predicts."""
    return [_predicted_behaviour(question, hypothesis.words) for hypothesis in question.hypotheses[:-1]]


def _predicted_behaviour(question: PredictAndCounter | PredictNext, words: str) -> str:
    """The likeliest behaviour by a hypothesis."""
    rules, history = question.rules, question.history
    probabilities = predict_behaviour(strategy_from_words(words, rules, history), rules, history, None)
    return rules.behaviours[probabilities.index(max(probabilities))]


def predict(question: PredictNext) -> PredictionAnswer:
    rules, history = question.rules, question.history
    words = question.hypotheses[-1].words if question.hypotheses else ""
    probabilities = predict_behaviour(strategy_from_words(words, rules, history), rules, history, None)
    return PredictionAnswer(
        reasoning=_describe(rules, probabilities),
        others_predict=_others_predict(question),
        other_next=likeliest_lead(rules, probabilities, expected_inventories(rules, history)),
    )


def choose(question: ChooseOpponents) -> ChoiceAnswer:
    rules, opponents, own = question.rules, question.opponents, question.own
    predictions = predict_all(rules, opponents, question.step)
    reasoning = "; ".join(f"{player} {_describe(rules, shares)}" for player, shares in predictions.items())
    best = choose_among(rules, opponents, predictions, own, question.step)
    if not is_worthwhile(rules, best, own):
        return ChoiceAnswer(reasoning=reasoning, seek=[], own_next=rules.by_name(own), watch=True)
    return ChoiceAnswer(reasoning=reasoning, seek=list(best.seek), own_next=rules.by_name(best.target))


def read_minds(question: ReadMinds) -> MindsAnswer:
    """Proposes a hypothesis for every player the agent interacted with, and answers with the best choice given them."""
    rules = question.rules
    opponents = [with_hypothesis(rules, opponent) for opponent in question.opponents]
    if rules.players > 2:
        predictions = predict_all(rules, opponents, question.step)
        best = choose_among(rules, opponents, predictions, question.own, question.step)
        expected = {player: rules.behaviours[shares.index(max(shares))] for player, shares in predictions.items()}
        minds = _minds(opponents, expected)
        if not is_worthwhile(rules, best, question.own):
            return MindsAnswer(minds=minds, own_next=rules.by_name(question.own), watch=True)
        return MindsAnswer(minds=minds, seek=list(best.seek), own_next=rules.by_name(best.target))
    (opponent,) = opponents
    believed = (opponent.hypothesis,) if opponent.hypothesis else ()
    answer = counter(
        PredictAndCounter(rules, question.step, opponent.history, believed, present=opponent.present, own=question.own)
    )
    minds = _minds(opponents, {opponent.player: answer.other_next.kind})
    return MindsAnswer(minds=minds, own_next=answer.own_next, watch=answer.watch, covert=answer.covert)


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
        choice = _choice_among_many(question, question.own)
        words = LEAD.format(max(choice.own_next, key=choice.own_next.__getitem__))
        return StrategyAnswer(strategy=words, **dict(choice))
    best = [Hypothesis(each.words.removeprefix(BEST_IF), each.value) for each in question.best]
    believed = likeliest_strategy(rules, history, best).words if history else None
    answer = _counter_only_opponent(question, question.own, believed)
    words = BEST_IF + believed if believed else FIRST
    return StrategyAnswer(strategy=words, seek=[], own_next=answer.own_next, watch=answer.watch, covert=answer.covert)


def follow_strategy(question: FollowStrategy) -> ChoiceAnswer:
    rules = question.rules
    if rules.players > 2:
        leads = [n for n, name in enumerate(rules.behaviours) if question.strategy == LEAD.format(name)]
        return _choice_among_many(question, question.own, leads[0] if leads else None)
    answer = _counter_only_opponent(question, question.own, question.strategy.removeprefix(BEST_IF))
    return ChoiceAnswer(seek=[], own_next=answer.own_next, watch=answer.watch, covert=answer.covert)


def _counter_only_opponent(
    question: MakeStrategy | FollowStrategy | PlanSubgoals, own: Counts, believed: str | None
) -> CounterAnswer:
    """The best response to the only opponent. believed: the hypothesis about it, if any. own: the agent's inventory."""
    present = question.opponents[0].present if question.opponents else None
    hypotheses = (Hypothesis(believed),) if believed else ()
    rules, step, history = question.rules, question.step, question.history
    return counter(PredictAndCounter(rules, step, history, hypotheses, present=present, own=own))


def _choice_among_many(
    question: MakeStrategy | FollowStrategy | PlanSubgoals, own: Counts, lead: int | None = None
) -> ChoiceAnswer:
    """What to hold among many players, and whom to seek. lead: the index of the resource that must lead, if any."""
    rules, step = question.rules, question.step
    others = known_opponents(rules, question.history, question.opponents)
    best = choose_among(rules, others, predict_all(rules, others, step), own, step, lead)
    if not is_worthwhile(rules, best, own):
        return ChoiceAnswer(seek=[], own_next=rules.by_name(own), watch=True)
    return ChoiceAnswer(seek=list(best.seek), own_next=rules.by_name(best.target))


def judge_strategy(question: JudgeStrategy) -> HindsightAnswer:
    paid = reward(question.instead, question.encounter.other, question.rules.payoff)
    if abs(paid) < TOLERANCE:
        return HindsightAnswer(outcome=Outcome.NEUTRAL)
    return HindsightAnswer(outcome=Outcome.POSITIVE if paid > 0 else Outcome.NEGATIVE)


def plan(question: PlanSubgoals) -> PlanAnswer:
    """Plans for the target of the strategy or, without a strategist, for what the interactions and pickups suggest."""
    if question.is_watching:
        return _as_answer(look_for_players(question))
    if question.target is not None:
        return _as_answer(plan_route(question, question.target))
    rules = question.rules
    if rules.players > 2:
        choice = _choice_among_many(question, question.inventory)
        if choice.watch:
            return _as_answer(look_for_players(question))
        seek = () if {*question.players} <= {*choice.seek} else choice.seek
        target = _adjusted_to_critiques(question, rules.counts(choice.own_next))
        return _as_answer(plan_route(question, target, seek=seek))
    believed = likeliest_strategy(rules, question.history, ()).words if question.history else None
    answer = _counter_only_opponent(question, question.inventory, believed)
    target = _adjusted_to_critiques(question, rules.counts(answer.own_next))
    return _as_answer(plan_route(question, target, watch=answer.watch, covert=answer.covert))


def _adjusted_to_critiques(question: PlanSubgoals, target: Counts) -> Counts:
    """The target with one unit of its main kind less or more for each critique that says so; that kind still leads."""
    main = argmax(target)
    if main is None:
        return target
    change = sum((MORE in critique) - (FEWER in critique) for critique in question.critiques)
    least = max(count for kind, count in enumerate(target) if kind != main) + 1
    return tuple(max(least, count + change) if kind == main else count for kind, count in enumerate(target))


def _as_answer(subgoals: Sequence[Subgoal]) -> PlanAnswer:
    return PlanAnswer(subgoals=[str(subgoal) for subgoal in subgoals])


FEWER = "plan fewer things, for it met me before I had them all"
MORE = "plan more things, for nobody came while I searched"
"""What critiques advise; later plans of the reasoner follow it."""


def evaluate_plan(question: EvaluatePlan) -> Critique:
    """States what the plan earned or collected, and whether the next plans should collect fewer or more things."""
    verdict = _verdict(question)
    left = question.plan.calls[question.plan.done :]
    if question.met and not question.plan.shot and any(isinstance(call, MoveTo) for call in left):
        return Critique(critique=f"{verdict} Next time {FEWER}.")
    if not question.met and not question.reward and question.plan.calls and isinstance(question.plan.calls[-1], FireAt):
        return Critique(critique=f"{verdict} Next time {MORE}.")
    return Critique(critique=verdict)


def _verdict(question: EvaluatePlan) -> str:
    before, after = question.before, question.after
    steps = after.step - before.step
    if question.reward:
        verdict = "keep to what was held" if question.reward > 0 else "hold something else next time"
        return f"In {steps} steps it was paid {question.reward:+.2f}: {verdict}."
    gained = sum(after.inventory) - sum(before.inventory)
    if gained > 0:
        return f"In {steps} steps it collected {gained}: go on."
    return f"In {steps} steps it brought nothing: look elsewhere."


ANSWERS: ReasonerTable = {
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
