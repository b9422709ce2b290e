"""What models read. Each example is kept as a golden file, so that a change of words is seen in review.

After an intended change: `REWRITE_GOLDEN=1 pytest tests/worlds/melting_pot/games/test_prompts.py`, then read the diff.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from jinja2 import UndefinedError

import hm_agent
from hm_agent.config import data_folder
from hm_agent.models.prompts import environment, render
from hm_agent.questions import Question
from hm_agent.theory_of_mind.decision_questions import Plan
from hm_agent.theory_of_mind.mind_questions import Predict
from hm_agent.worlds.melting_pot.facts import Length
from hm_agent.worlds.melting_pot.games.cooking.kitchen import ROLE_WINDOW, ROUND_LIMIT
from hm_agent.worlds.melting_pot.games.cooking.rounds import Pace
from hm_agent.worlds.melting_pot.games.cooking.seat import KitchenSeat
from hm_agent.worlds.melting_pot.games.matrix.map_seat import Place, Seen, Site
from hm_agent.worlds.melting_pot.planning.calls import FireAt, MoveTo, plan_record
from hm_agent.worlds.melting_pot.scenarios import all_scenarios
from tests.prompt_checks import STRAY_WHITESPACE, fields_asked_for, is_golden
from tests.worlds.melting_pot.games.kitchen_examples import KITCHEN_EXAMPLES, NOW
from tests.worlds.melting_pot.games.matrix_examples import (
    DILEMMA,
    HISTORY,
    LATER,
    MATRIX_EXAMPLES,
    PLAN,
    ROCK_PAPER_SCISSORS,
    against_one,
    map_of,
    planned,
    predict,
)

GOLDEN = Path(__file__).parent / "golden"
CHARACTERS_PER_TOKEN = 4
RULES = ROCK_PAPER_SCISSORS
EXAMPLES: Mapping[str, Question[Any]] = {**MATRIX_EXAMPLES, **KITCHEN_EXAMPLES}
CROWDED = planned(
    PLAN,
    step=1234,
    things=tuple(Place(RULES.things[n % 3], (12 + n % 10, 4 + n // 3), n, False) for n in range(30)),
    sites=tuple(Site(RULES.things[n % 3], (11 + n % 10, 5 + n // 3), n) for n in range(30)),
)


def questions() -> Iterator[type[Question[Any]]]:
    """Every kind of question in the package but those of other worlds; the tests' own are left out."""
    package = Path(hm_agent.__file__).parent
    for path in sorted(package.rglob("*.py")):
        if "(Question[" in path.read_text("utf-8"):
            import_module(".".join(path.relative_to(package.parent).with_suffix("").parts))
    yield from (kind for kind in _leaves(Question) if kind.__module__.startswith("hm_agent.worlds.melting_pot."))


def _leaves(kind: type[Question[Any]]) -> Iterator[type[Question[Any]]]:
    """The subclasses of a class that have none themselves."""
    for subclass in kind.__subclasses__():
        yield from _leaves(subclass) if subclass.__subclasses__() else (subclass,)


def ask(prompt: str) -> str:
    """A prompt without the rules of the game."""
    rules, question = prompt.split("\n\n# ", maxsplit=1)
    assert rules.startswith("# The game")
    return question


def test_every_question_has_an_example_and_a_template() -> None:
    own = (type(example) for example in EXAMPLES.values() if ".worlds." in type(example).__module__)
    assert {kind.__name__ for kind in questions()} == {kind.__name__ for kind in own}
    assert all((data_folder("prompts") / kind.template).is_file() for kind in questions())


@pytest.mark.parametrize("name", EXAMPLES)
def test_prompt_is_the_golden_one(name: str) -> None:
    assert is_golden(render(EXAMPLES[name]), GOLDEN / f"{name}.txt")


def test_every_golden_file_belongs_to_an_example() -> None:
    assert {path.stem for path in GOLDEN.glob("*")} == set(EXAMPLES)


def test_prompt_ends_with_every_field_of_the_answer() -> None:
    for name, question in EXAMPLES.items():
        assert fields_asked_for(render(question)) == list(question.schema.model_fields), name


def test_prompt_has_no_stray_whitespace() -> None:
    for name, question in EXAMPLES.items():
        assert not STRAY_WHITESPACE.search(render(question)), name


def test_rules_are_separate_from_the_question() -> None:
    macros = environment().get_template("melting_pot/matrix/blocks.j2").module
    told = [macros.the_game(RULES, on_map, main) for on_map in (False, True) for main in (None, 0, 1, 2)]  # type: ignore[attr-defined]
    for question in EXAMPLES.values():
        seen: Any = getattr(question, "situation", question)
        if seen.rules is RULES:
            assert any(render(question).startswith(f"{rules}\n\n# ") for rules in told)
    assert not re.search("Answer|JSON|hypothes|subgoal|move_to|fire_at", "".join(told))


def test_plan_of_a_decided_strategy_is_told_the_reward_of_its_main_kind_alone() -> None:
    assert "Reward: paper pays you 10 against rock, 0 against paper, -10 against scissors" in render(PLAN)
    assert "- your rock: " not in render(PLAN)
    assert "- your rock: " in render(planned(PLAN, target=None))


CHANCE = "of 1000 steps or more: then it ends with a chance of 20% at every 100th step"


@pytest.mark.parametrize(
    ("max_steps", "told"),
    [
        (None, f"{CHANCE}."),
        (300, "of 300 steps."),
        (1050, "of 1050 steps."),
        (1300, f"{CHANCE}, and after 1300 at the latest."),
    ],
)
def test_an_episode_that_is_cut_is_said_to_end_then(max_steps: int | None, told: str) -> None:
    rules = replace(RULES, length=Length(1000, 100, 0.2).cut(max_steps))
    assert f"whole episode {told}\n" in render(predict(against_one(rules, step=0)))


def test_no_more_steps_are_expected_than_there_are_until_an_episode_is_cut() -> None:
    length = Length(1000, 100, 0.2)
    expected = [length.cut(max_steps).expected_remaining(900) for max_steps in (None, 950, 1050, 1300, 2000)]
    assert expected == [600, 50, 150, 400, 600]


def test_how_long_the_last_one_has_been_back_is_not_said_of_whoever_is_met_next_among_many_alike() -> None:
    told = planned(PLAN, history=HISTORY)
    assert "It has been on the map for " in render(told)
    assert "It has been on the map for " not in render(planned(told, rules=replace(RULES, alike=7)))


def test_prompts_about_roles_tell_how_long_a_round_may_last_and_which_steps_its_role_is_told_from() -> None:
    for question in KITCHEN_EXAMPLES.values():
        if type(getattr(question, "situation", None)) is not KitchenSeat:
            continue
        assert f"until the next delivery, at most {ROUND_LIMIT} steps" in render(question)
        assert f"in the {ROLE_WINDOW} steps up to its end" in render(question)


def test_no_template_names_a_resource_or_behaviour_of_one_game() -> None:
    for path in data_folder("prompts").glob("melting_pot/matrix/*.j2"):
        words = re.sub(r"{#.*?#}", "", path.read_text("utf-8"), flags=re.DOTALL)
        assert not re.search(r"rock|paper|scissors|cooperat|defect|yellow|purple|blue|green|red_", words, re.IGNORECASE)


def test_prompt_names_neither_scenario_nor_bots() -> None:
    scenarios = list(all_scenarios())
    names = {name.casefold() for s in scenarios for name in (s.name, s.short_name, s.game.substrate, s.game.title)}
    for name, question in EXAMPLES.items():
        prompt = render(question)
        assert not any(known in prompt.casefold() for known in names), name
        assert not re.search(r"melting|scenario|substrate|\bbots?\b|puppet|scripted|focal", prompt, re.IGNORECASE), name


def test_plan_prompt_stays_small_on_a_full_map() -> None:
    prompt = render(CROWDED)
    assert len(prompt) / CHARACTERS_PER_TOKEN < 1500


def test_things_are_named_nearest_first() -> None:
    assert "purple_box: (9, 4)*, (13, 5) 23, (14, 4) 23\n" in ask(render(PLAN))


def test_only_the_nearest_things_of_a_kind_are_named() -> None:
    things = tuple(Place(kind, (x, 1), 344, False) for x in range(15) for kind in ("purple_box", "blue_box"))
    lines = render(planned(PLAN, things=things)).splitlines()
    (wanted,) = (line for line in lines if "_box: (" in line)
    assert wanted.startswith("- purple_box: (")
    assert wanted.count(") 1") == 10
    assert wanted.endswith(", and 5 farther off")
    assert "(0, 1)" not in wanted


def test_whoever_watches_is_told_of_all_kinds_near_by() -> None:
    things = tuple(Place(kind, (x, 1), 344, False) for x in range(15) for kind in ("purple_box", "blue_box"))
    lines = render(planned(PLAN, things=things, target=map_of(PLAN).held, is_watching=True)).splitlines()
    assert [line.count(") 1") for line in lines if "_box: (" in line] == [3, 3]


def test_cells_long_out_of_view_are_named_only_while_too_few_things_are_known() -> None:
    assert "Longest out of view" in render(PLAN)
    assert "Longest out of view" not in render(planned(PLAN, held=(1, 4, 2)))


def test_plan_says_what_is_still_to_be_collected() -> None:
    assert "Still to collect: 4 purple_box.\n" in render(PLAN)
    assert "Still to collect: nothing.\n" in render(planned(PLAN, held=(1, 7, 1)))
    assert "Still to collect: 2 yellow_box, 1 blue_box.\n" in render(planned(PLAN, target=(3, 2, 3)))


def test_a_thing_taken_a_moment_ago_is_not_denied_by_the_mark_over_the_head() -> None:
    other = Seen(
        "opponent", (9, 4), map_of(PLAN).step, sought=True, mark=None, taken=(0, 1, 0), taken_until=map_of(PLAN).step
    )
    assert "in view at (9, 4), ready in the next step, has taken paper 1." in render(planned(PLAN, sightings=(other,)))
    earlier = replace(other, step=map_of(PLAN).step - 5)
    told = "last seen at (9, 4) 5 steps ago, not ready then, but now, has taken paper 1."
    assert told in render(planned(PLAN, sightings=(earlier,)))
    nothing = replace(other, taken=())
    assert "in view at (9, 4), not ready: nothing collected yet." in render(planned(PLAN, sightings=(nothing,)))


def test_a_plan_with_nothing_to_collect_names_no_things() -> None:
    assert "Things that you lack" in render(PLAN)
    assert map_of(PLAN).target is not None
    assert "Things" not in ask(render(planned(PLAN, held=map_of(PLAN).target)))


def test_players_to_seek_whose_whereabouts_are_unknown_are_named() -> None:
    among_many = EXAMPLES["plan_among_many"]
    assert isinstance(among_many, Plan)
    assert "; not seen: player_3, player_4.\n" in render(planned(among_many, missing=("player_3", "player_4")))
    nobody = planned(among_many, sightings=(), missing=("player_4",))
    assert "Players you seek: not seen: player_4.\n" in render(nobody)


def test_a_plan_is_told_to_have_been_carried_on_by_the_agent_itself() -> None:
    previous = replace(plan_record((MoveTo((3, 4)), FireAt((5, 6))), 1), went_on=True)
    told = "Of your plan 1 of 2 calls were carried out; not fire_at((5, 6)); then you went on by yourself."
    assert told in render(planned(PLAN, previous=previous))


def test_what_was_taken_before_any_interaction_is_not_told_as_since_then() -> None:
    assert " Since then opponent has most likely taken" in render(predict(LATER))
    assert " So far opponent has most likely taken" in render(predict(replace(LATER, interactions=())))


def test_only_where_one_gains_what_the_other_loses_does_purity_pay_and_a_kind_beat_another() -> None:
    dilemma = planned(PLAN, rules=DILEMMA, held=(2, 1), target=(4, 1), things=(), sites=(), sightings=())
    assert {word for word in ("purer", "beats") if word in render(PLAN)} == {"purer", "beats"}
    assert {word for word in ("purer", "beats") if word in render(dilemma)} == set()
    assert "any one kind will do" not in render(planned(dilemma, strategy=None, target=None, expected=None))


def test_unknown_name_in_a_template_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="'belief' is undefined"):
        environment().from_string("{{ belief }}").render()


def test_agents_own_cell_is_not_listed_as_a_site() -> None:
    here = planned(PLAN, sites=(Site("purple_box", map_of(PLAN).pose.cell, None), Site("purple_box", (7, 10), None)))
    assert "(steps since): purple_box (7, 10)\n" in render(here)


def test_pace_tells_only_of_work_that_there_was() -> None:
    loading, serving = (
        render(Predict(replace(NOW, pace=pace), "teammate", (), (), decides=False))
        for pace in (Pace(tomatoes=1, room=23), Pace(soups=0, ready=1))
    )
    assert "Lately it put 1 tomato into pots in 23 steps with room for one.\n" in loading
    assert "Lately it took no soups in 1 step with one ready.\n" in serving
