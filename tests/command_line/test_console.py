"""What a terminal shows after a run."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from hm_agent.command_line.console import show_matchups, show_rows
from hm_agent.recording.result import Result
from hm_agent.reporting.tables import tabulate
from tests.reporting.examples import KITCHEN, RWS, RWS_2, SELF_PLAY, result, shared_result


def printed(*played: Result, width: int = 100) -> str:
    output = io.StringIO()
    show_rows(Console(file=output, width=width), tabulate(played))
    return output.getvalue()


def shown() -> list[str]:
    """What a terminal of 80 columns shows of an episode of each of two units."""
    return printed(*(result(reward=7, scenario=name) for name in (KITCHEN, RWS)), width=80).splitlines()


def test_each_unit_has_a_table_of_its_own() -> None:
    lines = shown()
    assert [line for line in lines if line.startswith("Reward")] == [
        "Reward per 1,000 steps: mean ± standard error over n episodes.",
        "Reward per 1,200 steps: mean ± standard error over n episodes.",
    ]
    headings = [line.split() for line in lines if "scenario" in line]
    assert headings == [["scenario", "agent", "n", "mean", "interactions", "published"]] * 2


def test_a_row_shows_the_mean_beside_the_published_figure() -> None:
    (row,) = (line.split() for line in shown() if "rws_repeated_1" in line)
    assert row == ["rws_repeated_1", "hypothetical_minds", "1", "7.0", "10.0", "23.2", "±", "4.7"]


def test_agents_that_met_are_shown_with_what_each_earned() -> None:
    """The mean over the seats of both says nothing of either."""
    output = io.StringIO()
    show_matchups(Console(file=output, width=100), [shared_result(("react", 3.0), ("vmp", 9.0)), result()])
    about, _, heading, _, *rows = output.getvalue().splitlines()
    assert about.startswith("rws_arena_selfplay: reward of a seat of the row's agent with the column's")
    assert [line.split() for line in (heading, *rows[:2])] == [
        ["agent", "react", "vmp"],
        ["react", "-", "3.0"],
        ["vmp", "9.0", "-"],
    ]


def test_tokens_and_cost_of_the_run_and_the_means_of_groups_stand_at_the_end() -> None:
    asked: dict[str, Any] = {
        "model_calls": 40,
        "cached_calls": 10,
        "cost": 0.5,
        "cached_cost": 0.1,
        "input_tokens": 9000,
    }
    played = [result(reward=reward, scenario=name, **asked) for reward, name in ((7, RWS), (10, RWS_2))]
    lines = printed(*played, width=80).splitlines()
    assert lines[-1] == (
        "In all: 2 episodes, 40 questions, 80 calls, 20 from the cache, 18,000 input tokens, 0 output tokens, "
        "0.8000 USD paid (0.2000 USD saved by the cache)."
    )
    (mean,) = (line.split() for line in lines if "Running With Scissors" in line)
    assert mean[-5:] == ["hypothetical_minds", "2", "8.5", "±", "1.5"]


def test_a_run_without_a_language_model_says_so() -> None:
    assert shown()[-1] == "In all: 2 episodes, 40 questions, no call of a language model."


def test_notes_on_all_rows_come_once() -> None:
    text = "\n".join(shown())
    for note in ("Published: ", "The bots are scripted", "no language model was involved"):
        assert text.count(note) == 1


def test_models_have_a_column_where_there_are_several() -> None:
    said = printed(*(result(reward=7, model=model) for model in ("builtin", "gpt-4o")))
    lines = [line.split() for line in said.splitlines()]
    assert ["scenario", "agent", "model", "n", "mean", "interactions", "published"] in lines
    assert {line[2] for line in lines if line[1:2] == ["hypothetical_minds"]} == {"builtin", "gpt-4o"}


def test_columns_in_which_nothing_is_known_are_left_out() -> None:
    said = printed(result(reward=7, scenario=SELF_PLAY))  # no paper has figures of it
    assert ["scenario", "agent", "n", "mean", "interactions"] in [line.split() for line in said.splitlines()]


def test_names_in_a_result_can_not_command_the_terminal() -> None:
    row = result(model="\x1b]0;gotcha\x07\x1b[2J", agent="\x9b31mred", unanswered_questions=1)
    said = printed(row, result(model="builtin", seed=2), width=200)
    assert r"\x1b]0;gotcha" in said
    assert r"\x9b31mred" in said
    assert not [sign for sign in said if not sign.isprintable() and sign != "\n"]
