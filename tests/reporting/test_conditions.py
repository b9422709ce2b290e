from __future__ import annotations

from hm_agent.reporting.conditions import Condition, in_order, labels
from tests.reporting.examples import result


def test_what_is_the_same_for_all_is_not_said() -> None:
    ours, random = (Condition.of(result(agent)) for agent in ("hypothetical_minds", "random"))
    assert labels([ours, random]) == {ours: "hypothetical_minds", random: "random"}


def test_what_differs_is_said() -> None:
    one = Condition.of(result(settings={"top_k": 5}))
    other = Condition.of(result(settings={"top_k": 1}, model="gpt-4"))
    assert labels([one, other]) == {
        one: "hypothetical_minds (builtin, top_k=5)",
        other: "hypothetical_minds (gpt-4, top_k=1)",
    }


def test_a_setting_that_an_older_result_does_not_know_sets_it_apart() -> None:
    one, other = (Condition.of(result(settings=settings)) for settings in ({"top_k": None}, {}))
    assert labels([one, other])[other] == "hypothetical_minds (top_k=unknown)"


def test_the_base_seed_sets_nobody_apart() -> None:
    assert Condition.of(result(settings={"seed": 0})) == Condition.of(result(settings={"seed": 1}))


def test_references_come_last_and_strangers_before_them() -> None:
    agents = ["random", "zebra", "oracle", "hypothetical_minds", "antelope", "zebra"]
    ordered = in_order(Condition.of(result(agent)) for agent in agents)
    assert [one.agent for one in ordered] == ["hypothetical_minds", "antelope", "zebra", "oracle", "random"]
