"""Chances as answers tell them, what is asked for in worlds without a table of payoffs, and what planning is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from hm_agent.core import Event
from hm_agent.models.prompts import render
from hm_agent.testing.scripted_model import ScriptedModel, each
from hm_agent.theory_of_mind.calculating import Calculator
from hm_agent.theory_of_mind.decision_questions import Plan
from hm_agent.theory_of_mind.odds_questions import ChancesAnswer, GiveChances
from hm_agent.theory_of_mind.player_odds import ToldOdds
from hm_agent.theory_of_mind.predictions import LOG_LOSS
from hm_agent.theory_of_mind.seat_question import answer_about
from hm_agent.theory_of_mind.written_mind import WrittenMind, WrittenStrategy
from hm_agent.worlds.symmtom.language.board import RETURNS, VISITS_BASE, Board, Meeting, MeetingEnded
from tests.worlds.symmtom.language.language_examples import BOARD, MEETINGS

Foreseen = tuple[int, str, int]
"""A chance, what the player does, and what it says."""
QUESTION = GiveChances(BOARD, "player_1", MEETINGS)


@dataclass
class Seat:
    situation: Board = BOARD


def chances(*rules: tuple[int, Sequence[Foreseen]], knows: Sequence[int] = (90, 90, 10)) -> ChancesAnswer[Any]:
    """Rules, each with its share and the behaviours that it foresees."""
    told = [
        {"rule": f"It has rule {number}.", "share": share, "next": [_foreseen(*each) for each in foreseen]}
        for number, (share, foreseen) in enumerate(rules, 1)
    ]
    answer: ChancesAnswer[Any] = answer_about(ChancesAnswer, BOARD).model_validate({"rules": told, "knows": knows})
    return answer


def _foreseen(chance: int, does: str, says: int) -> dict[str, Any]:
    return {"chance": chance, "behaviour": {"does": does, "says": says}}


LIKELY = chances((60, [(80, VISITS_BASE, 1), (20, RETURNS, 0)]), (20, [(50, RETURNS, 0)]))


def met(step: int, does: str = VISITS_BASE, says: int = 1) -> MeetingEnded:
    return MeetingEnded(step, Meeting(step, "player_1", does, (says,), (0,)))


def strategist(*answers: ChancesAnswer[Any] | None) -> tuple[Calculator, ScriptedModel]:
    model = ScriptedModel({GiveChances: each(answers)})
    return Calculator(WrittenMind(["player_1", "player_2"], Seat()), model), model


def revise(mind: Calculator, *events: Event) -> WrittenStrategy:
    strategy = asyncio.run(mind.revise(events))
    assert isinstance(strategy, WrittenStrategy)
    return strategy


def test_chances_are_mixed_over_rules_by_their_shares_and_may_leave_something_open() -> None:
    odds = LIKELY.odds(QUESTION.things)
    assert dict(odds.chances) == pytest.approx({"visits its base, says 1": 0.6, f"{RETURNS}, says 0": 0.275})
    assert odds.likeliest == "visits its base, says 1"
    assert [(words, next_one) for words, _, next_one in odds.ranked] == [
        ("It has rule 1.", "visits its base, says 1"),
        ("It has rule 2.", f"{RETURNS}, says 0"),
    ]
    assert dict(odds.knows) == {"piece 0": 0.9, "piece 1": 0.9, "piece 2": 0.1}


def test_chances_of_a_rule_that_add_up_to_more_than_all_are_cut_to_all() -> None:
    (rule,) = chances((50, [(80, RETURNS, 0), (80, VISITS_BASE, 0)])).rules
    assert sum(rule.chances.values()) == pytest.approx(1)


def test_told_chances_hold_only_after_what_was_expected_and_is_repeated() -> None:
    odds = ToldOdds([("It stays.", 1.0, {f"{RETURNS}, says 0": 0.9})])
    same, other = met(5, RETURNS, 0).interaction, met(9, VISITS_BASE, 1).interaction
    assert odds.take(same, None)
    assert not odds.take(same, same)
    assert odds.take(other, other), "it was not expected"


def test_a_world_without_a_table_is_asked_after_a_meeting_and_planning_is_shown_the_chances() -> None:
    mind, model = strategist(LIKELY)
    assert revise(mind).others == (), "among several nobody is asked about before it was met"
    strategy = revise(mind, met(5))
    assert [question.about for question in model.of(GiveChances)] == ["player_1"]
    shown = render(Plan(BOARD, strategy.words or None, strategy.others, (), (), "the episode begins"))
    assert (
        "- player_1 (next: 60% visits its base, says 1; 28% comes straight back, says 0."
        " Knows: 90% piece 0; 90% piece 1; 10% piece 2): It has rule 1." in shown
    )


def test_predictions_in_it_are_scored_by_the_chances() -> None:
    mind, _ = strategist(LIKELY)
    revise(mind)
    revise(mind, met(5))
    revise(mind, met(9, RETURNS, 0))
    assert mind.metrics()[LOG_LOSS] == pytest.approx(1.291, abs=1e-3)


def test_without_a_valid_answer_older_chances_are_given_up() -> None:
    mind, _ = strategist(LIKELY, None)
    revise(mind)
    assert revise(mind, met(5)).others
    revise(mind, met(9, RETURNS, 0))
    assert mind.believed_about("player_1") is None


def test_impossible_behaviours_and_missing_knowledge_are_told_and_the_rest_is_of_use() -> None:
    good = LIKELY.rules[0]
    bad = chances((50, [(60, "meets player_1", 0)]), knows=()).rules[0]
    answer = LIKELY.model_copy(update={"rules": [bad, good], "knows": [50]})
    with pytest.raises(ValueError, match=r"does: 'meets player_1' is none of .*knows: 1 given; there may be 3"):
        QUESTION.check(answer)
    part = QUESTION.usable_part(answer)
    assert part is not None
    assert (part.rules, part.knows) == ([good], [])
    assert QUESTION.usable_part(answer.model_copy(update={"rules": [bad]})) is None
