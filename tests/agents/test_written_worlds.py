"""What holds of every prompt and every answer of the worlds that are played in words.

Each example is kept as a golden file. After an intended change: `REWRITE_GOLDEN=1 pytest
tests/agents/test_written_worlds.py`, then read the diff.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hm_agent.catalogue.casting import can_play
from hm_agent.catalogue.registry import scenario_named, suites
from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.models.prompts import render
from hm_agent.questions import Question, answer_schema
from hm_agent.recording.trace import to_json
from hm_agent.testing.episodes import play_out, set_up
from tests.fitting_answers import check_fitting, check_reasoners, check_schema, values
from tests.model_stand_ins import CheckedReasoner
from tests.prompt_checks import STRAY_WHITESPACE, fields_asked_for, is_golden
from tests.support.step_log import StepLog
from tests.worlds.enacttom.language.household_examples import HOUSE_EXAMPLES
from tests.worlds.matrix_games.round_examples import ROUND_EXAMPLES
from tests.worlds.symmtom.language.language_examples import LANGUAGE_EXAMPLES

WORLDS = Path(__file__).parents[1] / "worlds"
CHARACTERS_PER_TOKEN = 4
ALL_BUT_HE_HR = ("hypothetical_minds", "hm_joint", "hm_odds", "react", "reflexion", "plan_react", "mmp", "mmp_he")


@dataclass(frozen=True)
class Written:
    """The examples of a world. beyond: what is wrong with the only answers that fit their schema and are refused."""

    examples: Mapping[str, Question[Any]]
    golden: Path
    most_tokens: int
    beyond: Sequence[str]


REVISIONS = ("is named more than once", "a new one needs words")
"""A hypothesis is kept once, and a new one is told."""
WRITTEN = {
    "symmtom": Written(
        LANGUAGE_EXAMPLES,
        WORLDS / "symmtom/language/golden",
        620,
        # Nobody meets itself, which players are named decides.
        (*REVISIONS, "walks are too many", "is none of visits its base"),
    ),
    "enacttom": Written(
        HOUSE_EXAMPLES, WORLDS / "enacttom/language/golden", 900, (*REVISIONS, "messages, and you have")
    ),
    "matrix_games": Written(
        ROUND_EXAMPLES,
        WORLDS / "matrix_games/golden",
        600,
        (*REVISIONS, "percentages that add up to 100", "there may be"),
    ),
}
EXAMPLES = [(world, name) for world, written in WRITTEN.items() for name in written.examples]


@pytest.mark.parametrize(("world", "name"), EXAMPLES)
def test_prompt_is_the_golden_one_and_asks_for_every_field_in_few_words(world: str, name: str) -> None:
    written = WRITTEN[world]
    question = written.examples[name]
    prompt = render(question)
    assert is_golden(prompt, written.golden / f"{name}.txt")
    assert fields_asked_for(prompt) == list(question.schema.model_fields)
    assert not STRAY_WHITESPACE.search(prompt)
    assert len(prompt) / CHARACTERS_PER_TOKEN <= written.most_tokens


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_every_golden_file_belongs_to_an_example(written: Written) -> None:
    assert {path.stem for path in written.golden.glob("*")} == set(written.examples)


@pytest.mark.parametrize(("world", "name"), EXAMPLES)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_whatever_fits_the_schema_is_a_valid_answer(world: str, name: str, data: st.DataObject) -> None:
    question = WRITTEN[world].examples[name]
    check_fitting(data.draw(values(answer_schema(question))), question, WRITTEN[world].beyond)


def test_nothing_in_a_schema_is_open_and_the_reasoners_answer_fits_it() -> None:
    for world, name in EXAMPLES:
        question = WRITTEN[world].examples[name]
        check_schema(question)
        check_reasoners(question, suites()[world].answers())


def check_refused(question: Question[Any], answer: Mapping[str, Any], problem: str) -> None:
    with pytest.raises(BadAnswer, match=problem):
        read_answer(json.dumps(answer), question)


@pytest.mark.parametrize("world", WRITTEN)
def test_a_wrong_prediction_or_revision_is_told_what_would_be_right(world: str) -> None:
    examples, reasoner = WRITTEN[world].examples, suites()[world].answers()
    predict, revise = examples["predict"], examples["revise"]
    foreseen = reasoner[type(predict)](predict).model_dump(mode="json")
    too_few = foreseen | {"next": foreseen["next"][:1]}
    check_refused(predict, too_few, "next: 1 given, 2 wanted, one for each hypothesis")
    check_refused(predict, foreseen | {"player": "nobody"}, "player: 'nobody' is none of")
    revised = reasoner[type(revise)](revise).model_dump(mode="json")
    kept = revised["hypotheses"][0] | {"of": 1, "hypothesis": ""}
    read_answer(json.dumps(revised | {"hypotheses": [kept]}), revise)
    for hypotheses, problem in (
        ([], "hypotheses: 0 given, 1 to 5 wanted"),
        ([kept, kept], "of: hypothesis 1 is named more than once"),
        ([kept | {"of": 3}], "no hypothesis has the number 3; 0 is for a new one"),
        ([kept | {"of": 0}], "a new one needs words"),
    ):
        check_refused(revise, revised | {"hypotheses": hypotheses}, problem)
    nothing_new = r"nothing new is known of anyone; write \[\]"
    check_refused(examples["revise_at_first"], revised | {"hypotheses": [kept]}, nothing_new)


@pytest.mark.parametrize("name", ["enacttom_relay_of_three", "symmtom_w6_n4_c8"])
def test_the_same_seed_gives_the_same_episode_to_the_last_thought(name: str) -> None:
    scenario = scenario_named(name)

    def told() -> str:
        log, model = StepLog(object), CheckedReasoner(suites()[scenario.world].answers())
        world, agents = set_up(scenario, "hypothetical_minds", model=model, seed=5)
        play_out(world, agents, seed=5, steps=12, recorders=[log])
        return json.dumps([[to_json(one.action), to_json(one.state), to_json(one.thoughts)] for one in log.decisions])

    assert told() == told()


@pytest.mark.parametrize("name", ["enacttom_relay_of_three", "symmtom_w6_n3_c3"])
def test_agents_that_ask_what_the_mind_can_not_answer_are_refused(name: str) -> None:
    assert not can_play("he_hr", scenario_named(name))
    assert all(can_play(agent, scenario_named(name)) for agent in ALL_BUT_HE_HR)
