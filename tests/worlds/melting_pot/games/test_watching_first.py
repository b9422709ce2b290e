"""When the agent sees first what an only opponent takes, and how it plans that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.models.prompts import render
from hm_agent.repeated_games.payoffs import Shares
from hm_agent.testing.episodes import play_steps
from hm_agent.theory_of_mind.decision_questions import Plan, StrategyAnswer
from hm_agent.theory_of_mind.mind import PlayerModel
from hm_agent.theory_of_mind.mind_questions import MindsReadAnswer, Prediction, RevisedBeliefs
from hm_agent.worlds.melting_pot.games.matrix.best_response import expected_inventories, pays_to_watch
from hm_agent.worlds.melting_pot.games.matrix.game import MatrixGame
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixRules
from hm_agent.worlds.melting_pot.games.matrix.seat import AgainstOne, NextLead
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy
from hm_agent.worlds.melting_pot.games.options import AgentOptions
from hm_agent.worlds.melting_pot.planning.calls import Shadow, plan_record
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from tests.strategists import RWS, against, among, arena, dyad, lead
from tests.support.melting_pot.asking import ask
from tests.worlds.melting_pot.games.matrix_examples import (
    ARENA,
    DILEMMA,
    HISTORY,
    ROCK_PAPER_SCISSORS,
    STRANGER,
    UNDECIDED,
    against_one,
    map_of,
    planned,
    predict,
)

UNKNOWN, LIKELY, KNOWN = (1 / 3, 1 / 3, 1 / 3), (0.6, 0.2, 0.2), (0.95, 0.025, 0.025)
NOTHING = (1, 1, 1)
WATCH = "shadow(opponent)"


def pays(rules: MatrixRules, probabilities: Shares, own: tuple[int, ...] | None = None) -> bool:
    return pays_to_watch(rules, probabilities, expected_inventories(rules, ()), own)


@pytest.mark.parametrize(("probabilities", "watches"), [(UNKNOWN, True), (LIKELY, True), (KNOWN, False)])
def test_watching_pays_while_it_is_uncertain_what_the_opponent_plays(probabilities: Shares, watches: bool) -> None:
    assert pays(ROCK_PAPER_SCISSORS, probabilities) is watches


def test_watching_pays_only_while_nothing_is_collected() -> None:
    assert pays(ROCK_PAPER_SCISSORS, UNKNOWN, NOTHING)
    assert not pays(ROCK_PAPER_SCISSORS, UNKNOWN, (1, 2, 1))


@pytest.mark.parametrize("rules", [replace(ROCK_PAPER_SCISSORS, clues=False), ARENA, DILEMMA])
def test_watching_an_only_opponent_takes_clues_and_a_zero_sum_game_for_two(rules: MatrixRules) -> None:
    assert not pays(rules, UNKNOWN[: len(rules.behaviours)])


def test_a_longer_interaction_makes_watching_cheaper() -> None:
    """The steps it takes to watch weigh less, the more steps a round takes anyway."""
    timing = ROCK_PAPER_SCISSORS.timing
    short, long = (replace(ROCK_PAPER_SCISSORS, timing=replace(timing, per_round=steps)) for steps in (20, 500))
    nearly_sure = (0.86, 0.07, 0.07)
    assert (pays(short, nearly_sure), pays(long, nearly_sure)) == (False, True)


def calls(question: Plan) -> list[str]:
    return ask(question).calls


def test_an_agent_without_a_strategist_plans_to_watch_an_unknown_opponent() -> None:
    unknown = planned(UNDECIDED, held=NOTHING, history=(), others=(STRANGER,))
    plan = calls(unknown)
    assert plan[0] == WATCH
    assert plan[1:] == calls(planned(unknown, rules=replace(map_of(unknown).rules, clues=False)))[: len(plan) - 1]


def test_it_plans_to_watch_once_and_only_while_nothing_is_collected() -> None:
    unknown = planned(UNDECIDED, held=NOTHING, history=(), others=(STRANGER,))
    assert WATCH not in calls(planned(unknown, previous=plan_record((Shadow("opponent"),), 1)))
    assert WATCH not in calls(planned(unknown, held=(1, 2, 1)))


OWN = {"rock": 1, "paper": 6, "scissors": 1}


def test_an_answer_to_watch_an_only_opponent_keeps_its_target() -> None:
    mind, opponents = dyad().mind, [PlayerModel("opponent")]
    given = against("rock", OWN, watch=True, words="Hold paper.")
    for strategy in (
        mind.ask_prediction((), ()).read(Prediction(player="opponent", next=[lead("rock")], strategy=given)).strategy,
        mind.ask_revision(opponents, None)
        .read(RevisedBeliefs[NextLead, AgainstOne](hypotheses=[], strategy=given))
        .strategy,
        mind.ask_minds(opponents).read(MindsReadAnswer[NextLead, AgainstOne](minds=[], strategy=given)).strategy,
        mind.ask_strategy((), ()).read(StrategyAnswer(strategy=given)),
    ):
        assert isinstance(strategy, MatrixStrategy)
        assert strategy.watch_first
        assert (strategy.target, strategy.seek) == ((1, 6, 1), None)
        assert strategy.aims != replace(strategy, watch_first=False).aims


def test_an_answer_to_watch_many_seeks_nobody() -> None:
    answer = StrategyAnswer(strategy=among(OWN, watch=True, words="Wait and see."))
    strategy = arena().mind.ask_strategy((), ()).read(answer)
    assert strategy.seek == ()
    assert not strategy.watch_first


def test_without_clues_the_rules_say_so() -> None:
    blind = MatrixGame(RWS, vision_of(RWS.short_name, 0), AgentOptions(clues=False))
    assert (dyad().rules.clues, blind.rules.clues) == (True, False)


def test_a_plan_after_watching_is_asked_for_without_the_one_from_before_the_interaction() -> None:
    (scenario,) = find_scenarios(["rws_unseen_3"])
    steps = play_steps(scenario, "hypothetical_minds", 700, bots="scripted")
    has_planned, asked = False, []
    for step in steps:
        has_planned = has_planned and not any(isinstance(event, InteractionEvent) for event in step.decision.events)
        plans = [each.question for each in step.decision.exchanges if isinstance(each.question, Plan)]
        asked += [(plan.because.startswith("shadow"), has_planned, plan.previous) for plan in plans]
        has_planned = has_planned or bool(plans)
    after_watching = [previous for has_watched, has_planned, previous in asked[1:] if has_watched and not has_planned]
    assert after_watching
    assert not any(after_watching)


def test_a_strategy_to_watch_that_would_not_be_followed_is_neither_offered_nor_accepted() -> None:
    given = against("rock", OWN, watch=True)
    offered, withheld = (predict(replace(against_one(), may_watch=may_watch)) for may_watch in (True, False))
    offered.situation.check_strategy(given, None)
    assert "watch" in render(offered)
    with pytest.raises(ValueError, match="watch: it would change nothing now; write false"):
        withheld.situation.check_strategy(given, None)
    assert "watch" not in render(withheld)
    assert withheld.forms["watch"] == {"enum": [False]}


def test_what_is_said_of_watching_holds_before_and_after_anything_is_known() -> None:
    """At first the agent is asked about whatever it sees; then it goes on if it sees what it expects."""
    assert "if you watch and see nothing, you go on" in render(predict(against_one()))
    known = against_one(ROCK_PAPER_SCISSORS, *HISTORY)
    assert "if you watch and see what you expect, or nothing clear, you go on" in render(predict(known))
