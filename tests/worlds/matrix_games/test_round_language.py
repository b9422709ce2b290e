"""Agents that think in language in a matrix game: their answers, and what they earn."""

from __future__ import annotations

from statistics import mean

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.models.prompts import render
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.theory_of_mind.decision_questions import Plan
from hm_agent.theory_of_mind.odds_questions import GiveOdds
from hm_agent.worlds.matrix_games.language.reasoner import ANSWERS, best_action, foresee
from hm_agent.worlds.matrix_games.language.rounds import RoundSituation
from hm_agent.worlds.matrix_games.views import PastRound, RoundView
from tests.model_stand_ins import CheckedReasoner, Mute
from tests.worlds.matrix_games.round_examples import AT_FIRST, LATER, PD, PLAN, PREDICT

AGENTS = ("hypothetical_minds", "hm_joint", "hm_odds", "react", "reflexion", "plan_react", "vmp", "mmp", "mmp_he")
MOST_TOKENS, CHARACTERS_PER_TOKEN = 250, 4


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ('{"calls": ["play(rock)"]}', "play: 'rock' is no action; there are cooperate, defect"),
        ('{"calls": ["cooperate"]}', r"not a function call: 'cooperate'; write play\(action\)"),
        ('{"calls": ["play(defect)", "play(defect)"]}', "2 calls are too many; at most 1"),
        ('{"calls": []}', "the plan is empty"),
    ],
)
def test_a_wrong_play_is_told_what_would_be_right(answer: str, problem: str) -> None:
    read_answer('{"calls": ["play(\'defect\')"]}', PLAN)
    with pytest.raises(BadAnswer, match=problem):
        read_answer(answer, PLAN)


def test_a_prediction_names_an_action_of_the_other() -> None:
    with pytest.raises(BadAnswer, match="action: 'rock' is none of cooperate, defect"):
        read_answer('{"player": "the other player", "next": [{"action": "rock"}, {"action": "defect"}]}', PREDICT)


def test_react_is_asked_one_question_a_round_of_at_most_250_tokens() -> None:
    for name in ("mg_rps_counter", "mg_pd_grim", "mg_bos_copy_column"):
        (scenario,) = find_scenarios([name])
        model = CheckedReasoner(ANSWERS)
        world, agents = set_up(scenario, "react", model=model)
        outcome = play_out(world, agents, seed=0)
        assert {type(question) for question in model.asked} == {Plan}
        assert len(model.asked) == outcome.steps == 30
        assert mean(len(render(question)) for question in model.asked) / CHARACTERS_PER_TOKEN <= MOST_TOKENS


@pytest.mark.parametrize("agent", sorted({*AGENTS} - {"hm_odds"}))
def test_an_agent_finds_out_and_answers_an_opponent(agent: str) -> None:
    """Once a few rounds have told the rule, play is close to the best response, which `oracle` plays."""
    least = {"mg_rps_rock": 9.0, "mg_pennies_copy": 0.8, "mg_pd_grim_2": 2.7, "mg_chicken_dove": 2.5}
    for name, reward in least.items():
        (scenario,) = find_scenarios([name])
        world, agents = set_up(scenario, agent)
        outcome = play_out(world, agents, seed=3)
        assert outcome.reward / outcome.steps >= reward, name


def test_who_calculates_exploits_whom_it_can_provokes_no_grudge_and_asks_less_than_once_in_two_rounds() -> None:
    least = {
        "mg_rps_rock": 9.0,
        "mg_pennies_copy": 0.8,
        "mg_pd_tit_for_tat": 2.5,
        "mg_pd_grim": 2.8,
        "mg_chicken_dove": 4.5,
    }
    for name, reward in least.items():
        (scenario,) = find_scenarios([name])
        model = CheckedReasoner(ANSWERS)
        world, agents = set_up(scenario, "hm_odds", model=model)
        outcome = play_out(world, agents, seed=3)
        assert outcome.reward / outcome.steps >= reward, name
        assert {type(question) for question in model.asked} == {GiveOdds}
        assert len(model.asked) < outcome.steps / 2


def test_self_play_asks_both_seats() -> None:
    (scenario,) = find_scenarios(["mg_pd_selfplay"])
    world, agents = set_up(scenario, "hypothetical_minds")
    assert play_out(world, agents, seed=0).steps == 30
    assert all(agent.usage.questions >= 30 for agent in agents.values())


def test_an_agent_whose_model_answers_nothing_plays_on() -> None:
    (scenario,) = find_scenarios(["mg_pd_grim"])
    world, agents = set_up(scenario, "hypothetical_minds", model=Mute())
    assert play_out(world, agents, seed=0).reward == 3 * 30


def played(*rounds: tuple[str, str]) -> RoundSituation:
    return RoundSituation(RoundView(PD, 30, tuple(PastRound(own, other, 0, 0) for own, other in rounds)), "it")


def test_the_reasoner_follows_a_rule_and_answers_it_to_the_end() -> None:
    own = ("cooperate", "defect", "cooperate", "cooperate", "defect")
    copied = played(*zip(own[1:], own, strict=False))
    assert foresee("copy", copied).action == "defect"
    assert foresee("pure action=cooperate", copied).action == "cooperate"
    punished = played(*[("cooperate", "cooperate")] * 4, ("defect", "cooperate"), *[("cooperate", "defect")] * 3)
    assert best_action(punished) == "defect"
    turns = ["cooperate"] * 3 + ["defect"] * 3
    for seen in range(7, 13):
        foreseen = foresee(None, played(*(("cooperate", turns[number % 6]) for number in range(seen))))
        assert foreseen.action == turns[seen % 6], seen
    mostly = played(*(("cooperate", action) for action in ("defect", "defect", "cooperate", "defect", "defect") * 3))
    assert foresee("usual window=8", mostly).action == "defect"
    assert AT_FIRST.counts == {"rock": 0, "paper": 0, "scissors": 0}
    assert [number for number, _ in LATER.latest] == list(range(3, 13))
