"""The questions of `hm_joint` about matrix games: which revisions of hypotheses they accept."""

from __future__ import annotations

from typing import Any

import pytest

from hm_agent.worlds.melting_pot.games.matrix.joint_questions import JointChoiceAnswer, RevisionAnswer
from hm_agent.worlds.melting_pot.games.matrix.questions import LeadAnswer
from tests.worlds.melting_pot.games.matrix_examples import MATRIX_EXAMPLES


def joint_answer(*revisions: tuple[int, str]) -> dict[str, Any]:
    """An answer with these revisions, (of, hypothesis), to either question of `hm_joint`."""
    hypotheses = [RevisionAnswer(of=of, hypothesis=words, next="rock") for of, words in revisions]
    return {"hypotheses": hypotheses, "own_next": {"rock": 1, "paper": 6, "scissors": 1}}


@pytest.mark.parametrize("name", ["revise_and_counter", "revise_and_choose"])
@pytest.mark.parametrize(
    ("revisions", "error"),
    [
        ([], "0 given, 1 to 5 wanted"),
        ([(0, f"It plays rock {n} times.") for n in range(6)], "6 given, 1 to 5 wanted"),
        ([(1, ""), (1, "Rock.")], "hypothesis 1 is named more than once"),
        ([(0, "")], "a new one needs words"),
        ([(9, "")], "no hypothesis has the number 9"),
    ],
)
def test_revisions_that_would_lose_hypotheses_are_refused(
    name: str, revisions: list[tuple[int, str]], error: str
) -> None:
    question = MATRIX_EXAMPLES[name]
    lead = {"other_next": LeadAnswer(kind="rock", count=6)} if name == "revise_and_counter" else {}
    answer = question.schema(**joint_answer(*revisions), **lead)
    with pytest.raises(ValueError, match=error):
        question.check(answer)


def test_nothing_needs_to_be_revised_before_the_first_interaction() -> None:
    first, about_nobody = MATRIX_EXAMPLES["revise_at_first"], MATRIX_EXAMPLES["choose_jointly_at_first"]
    assert first.forms["hypotheses"] == {"minItems": 0, "maxItems": 5}
    about_nobody.check(JointChoiceAnswer(**joint_answer()))
    with pytest.raises(ValueError, match=r"nothing new is known of anyone; write \[\]"):
        about_nobody.check(JointChoiceAnswer(**joint_answer((0, "Rock."))))
