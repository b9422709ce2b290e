"""The reasoner's calculations: what to do, what to tell, whom to expect what of."""

from __future__ import annotations

from dataclasses import replace

from hm_agent.core import Hypothesis
from hm_agent.theory_of_mind.mind_questions import Foresight, HypothesisAnswer, Predict, Propose
from hm_agent.worlds.enacttom.house.commands import communicate
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.language.reasoner import ANSWERS, RULES, answer_probes, best_commands, message
from hm_agent.worlds.enacttom.language.situation import HANDLES, WRITES, HouseSituation, PartnerAct
from hm_agent.worlds.enacttom.language.understanding import Understanding
from hm_agent.worlds.enacttom.language.written_commands import LONGEST_MESSAGE
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition, wanted
from hm_agent.worlds.enacttom.tasks.sentences import read_claims
from hm_agent.worlds.enacttom.verification.compiler import compile_task
from hm_agent.worlds.enacttom.verification.planner import solve
from hm_agent.worlds.enacttom.verification.planning_problem import Variant
from tests.worlds.enacttom.language.household_examples import (
    ACTS,
    AT_FIRST,
    ENDED,
    LATER,
    PREDICT,
    PROBE,
    PROBES,
    RELAY,
    Watched,
)

OPEN = Proposition("is_open", ("cabinet_5",))
WANTS_LAMP = 'Communicate["by the end, lamp_3 must be inside chest_2.", all]'


def written(situation: HouseSituation) -> list[str]:
    return [str(command) for command in best_commands(situation)]


def test_it_tells_first_what_only_others_can_do_with_what_helps_them() -> None:
    said = "by the end, cabinet_1 must be open. chest_2 is reversed: Open closes it and Close opens it."
    assert written(AT_FIRST) == [f'Communicate["{said}", all]', "Wait[]"]


def test_it_does_what_it_is_told_to_be_wanted_by_the_handle_that_it_knows_and_reports_it() -> None:
    situation = Watched("far_handle", "agent_1").play({"agent_0": WANTS_LAMP})
    told, *done, report, wait = written(situation)
    assert "cabinet_1 must be open" in told
    assert done == ["Pick[lamp_3]", "Close[chest_2]", "Place[lamp_3, within, chest_2]"]
    assert report == 'Communicate["lamp_3 is inside chest_2.", all]'
    assert wait == "Wait[]"


def test_it_passes_on_what_it_was_told_to_who_was_not_told() -> None:
    watched = Watched("relay_of_three", "agent_1")
    asked = watched.play({"agent_0": 'Communicate["by the end, cabinet_5 must be open.", agent_1]'})
    assert written(asked)[0] == 'Communicate["by the end, cabinet_5 must be open.", all]'
    assert written(RELAY)[0] == 'Communicate["agent_2 knows that cabinet_5 is open.", all]'


def test_it_says_nothing_twice_and_nothing_without_a_message_left() -> None:
    watched = Watched("relay_of_three", "agent_1")
    watched.play({"agent_0": 'Communicate["by the end, cabinet_5 must be open.", agent_1]'})
    told = watched.play({"agent_1": 'Communicate["by the end, cabinet_5 must be open.", all]'})
    assert written(told) == ["Wait[]"]
    view = replace(AT_FIRST.view, messages_left=0)
    assert not any("Communicate" in one for one in written(HouseSituation((view,))))


def test_other_words_say_nothing_to_it() -> None:
    watched = Watched("relay_of_three", "agent_1")
    asked = watched.play({"agent_0": 'Communicate["Please see to it that cabinet_5 is open!", agent_1]'})
    assert written(asked) == ["Wait[]"]


def test_claims_about_what_there_is_not_are_not_believed() -> None:
    watched = Watched("far_handle", "agent_1")
    lies = "lamp_3 is on top of moon_1. agent_0 is in nowhere_2. by the end, lamp_3 must be inside sun_1."
    situation = watched.play({"agent_0": f'Communicate["{lies}", all]'}, {})
    known, before = Understanding(situation), Understanding(AT_FIRST)
    assert set(known.mind.beliefs.all()) == set(before.mind.beliefs.all())
    assert known.shared_goals == before.shared_goals


def test_a_message_says_as_much_as_fits_and_no_more() -> None:
    many = [Claim((), wanted(Proposition("is_open", (f"cabinet_{number}",)))) for number in range(40)]
    command = message(many)
    assert command
    assert len(command.text) <= LONGEST_MESSAGE
    said = read_claims(command.text, ("agent_0",))
    assert said == tuple(many[: len(said)])
    assert len(said) > 5
    assert message([]) is None
    assert message([Claim(("agent_2",), OPEN), Claim((), OPEN)]) == communicate(
        "agent_2 knows that cabinet_5 is open.", ["all"]
    )


def test_it_looks_for_what_it_could_bring_itself_before_it_asks_anybody() -> None:
    watched = Watched("one_window", "agent_1")
    asked = watched.play({"agent_0": 'Communicate["by the end, lamp_9 must be on top of table_5.", agent_1]'})
    assert "Navigate[living_room_1]" in written(asked)
    assert not any("lamp_9" in one for one in written(asked))


def test_a_hypothesis_follows_what_was_noticed_and_says_what_comes_next() -> None:
    works = tuple(PartnerAct(turn, "agent_0", HANDLES, ("lamp_3",)) for turn in range(3))
    about = replace(PREDICT, history=works)
    assert propose_words(works) == RULES[2].words
    ideas = (Hypothesis(RULES[2].words), Hypothesis(RULES[0].words))
    answer = ANSWERS[Predict](replace(about, hypotheses=ideas))
    assert isinstance(answer, Foresight)
    foreseen = answer.next
    assert (foreseen[0].does, foreseen[0].about) == (HANDLES, "lamp_3")
    assert foreseen[1].does == WRITES
    assert propose_words(ACTS) == RULES[0].words


def propose_words(history: tuple[PartnerAct, ...]) -> str:
    answer = ANSWERS[Propose](Propose(LATER, "agent_0", history, ()))
    assert isinstance(answer, HypothesisAnswer)
    return answer.hypothesis


def test_probes_are_answered_from_what_was_told() -> None:
    assert [one.about.knowers for one in PROBES] == [("agent_0",), ("agent_2",)]
    assert answer_probes(ENDED, PROBE.claims) == ["no", "yes"]
    before = Watched("relay_of_three", "agent_1").situation
    before = replace(before, views=(replace(before.view, probes=PROBES),))
    assert answer_probes(before, PROBE.claims) == ["no", "no"]


def test_a_hand_that_holds_something_else_can_be_emptied_in_a_plan() -> None:
    watched = Watched("one_window", "agent_0")
    watched.play({"agent_0": "Pick[book_1]"}, {"agent_1": "Open[drawer_3]"}, {"agent_1": "Pick[cup_4]"})
    watched.play({"agent_1": "Navigate[living_room_1]"}, {"agent_1": "Place[cup_4, on, table_5]"})
    house: Household = watched.world.household
    goal = (Claim((), Proposition("is_held_by", ("cup_4", "agent_0"))),)
    others = frozenset({"agent_1"})
    problem = compile_task(house, Variant(goal, is_knowing=False, idle=others), start=watched.world.runtime.state)
    assert solve(problem).status == "solved"
