"""The questions of `hm_joint` about matrix games: which revisions of hypotheses they accept."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.melting_pot.games.matrix_examples import MATRIX_EXAMPLES

HOLD = {"rock": 1, "paper": 6, "scissors": 1}


def joint_answer(name: str, *revisions: tuple[int, str]) -> Any:
    """An answer with these revisions, (of, hypothesis), to a question of `hm_joint`."""
    lead = {"kind": "rock", "count": 6}
    hypotheses = [{"of": of, "hypothesis": words, "next": lead} for of, words in revisions]
    strategy = {"hold": HOLD, "expects": lead}
    return MATRIX_EXAMPLES[name].schema.model_validate({"hypotheses": hypotheses, "strategy": strategy})


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
    with pytest.raises(ValueError, match=error):
        MATRIX_EXAMPLES[name].check(joint_answer(name, *revisions))


def test_nothing_needs_to_be_revised_before_anything_is_known() -> None:
    clue_alone, name = MATRIX_EXAMPLES["revise_before_the_one_interaction"], "choose_jointly_at_first"
    assert clue_alone.forms["hypotheses"] == {"minItems": 0, "maxItems": 5}
    MATRIX_EXAMPLES[name].check(joint_answer(name))
    with pytest.raises(ValueError, match=r"nothing new is known of anyone; write \[\]"):
        MATRIX_EXAMPLES[name].check(joint_answer(name, (0, "Rock.")))
