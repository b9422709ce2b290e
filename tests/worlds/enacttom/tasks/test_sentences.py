"""Claims in words are read back; other sentences say nothing, whatever they are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hm_agent.worlds.enacttom.author.task_words import KNOWN, WANTED
from hm_agent.worlds.enacttom.house.commands import tell
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition, wanted
from hm_agent.worlds.enacttom.tasks.sentences import read_claims
from hm_agent.worlds.enacttom.tasks.task_files import load_task

NAMES = ("cabinet_5", "chest_7")
AGENTS = ("agent_0", "agent_1", "agent_2")
OPEN = Proposition("is_open", ("cabinet_5",))


def test_whatever_can_be_said_in_a_task_is_read_back() -> None:
    for name, path in task_files().items():
        task = load_task(path)
        house = Household(task)
        said = [*house.claims, *(Claim((), one) for one in (*house.physical, *task.mechanics.propositions))]
        for one in said:
            assert read_claims(tell([one], ["all"]).text, task.agents) == (one,), name
        assert read_claims(tell(said, ["all"]).text, task.agents) == tuple(dict.fromkeys(said)), name


@pytest.mark.parametrize("predicate", WANTED)
def test_goals_in_the_words_of_secrets_are_read(predicate: str) -> None:
    names = NAMES[: WANTED[predicate].count("{")]
    goal = Claim((), wanted(Proposition(predicate, names)))
    assert read_claims(f"Hello. {WANTED[predicate].format(*names)} Please.", AGENTS) == (goal,)


@pytest.mark.parametrize("predicate", KNOWN)
def test_facts_in_the_words_of_secrets_are_read(predicate: str) -> None:
    names = NAMES[: 1 + ("{1}" in KNOWN[predicate])]
    assert read_claims(KNOWN[predicate].format(*names), AGENTS) == (Claim((), Proposition(predicate, names)),)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Cabinet_5 is open!", [Proposition("is_open", ("Cabinet_5",))]),
        ("Hello. cabinet_5 is open. Thanks", [OPEN]),
        ("Cabinet_5 is open now", [Proposition("is_open", ("Cabinet_5",))]),
        ("You would like cabinet_5 to end open.", []),
        ("By the end, cabinet_5 must be open.", [wanted(OPEN)]),
        ("By the end, by the end, cabinet_5 must be open.", []),
        ("I think that cabinet_5 is open", []),
        ("cabinet_5 is open, isn't it?", []),
        ("", []),
    ],
)
def test_only_sentences_of_the_fixed_form_say_something(text: str, claims: list[Proposition]) -> None:
    assert read_claims(text, AGENTS) == tuple(Claim((), one) for one in claims)


def test_who_knows_must_be_an_agent_and_nesting_has_an_end() -> None:
    assert read_claims("agent_1 knows that agent_2 knows that cabinet_5 is open.", AGENTS) == (
        Claim(("agent_1", "agent_2"), OPEN),
    )
    assert read_claims("bowl_1 knows that cabinet_5 is open.", AGENTS) == ()
    assert read_claims("agent_1 knows that agent_2 knows that " * 5 + "cabinet_5 is open.", AGENTS) == ()


@given(st.text(max_size=300))
@settings(max_examples=25, deadline=None)
def test_no_text_is_too_odd(text: str) -> None:
    assert isinstance(read_claims(text, AGENTS), tuple)
