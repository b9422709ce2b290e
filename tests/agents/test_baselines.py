"""The paper's baselines: what they ask, in real episodes and by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, product
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

from hm_agent.agents.baselines import HighLevelPlanner, Reactive
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.core import Clue, Event
from hm_agent.questions import Question
from hm_agent.testing.episodes import SeatStep
from hm_agent.testing.scripted_model import ScriptedModel, each
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy, Plan, StrategyAnswer
from hm_agent.theory_of_mind.mind_questions import ReadMinds
from hm_agent.worlds.melting_pot.games.cooking.mind import CookingMind
from hm_agent.worlds.melting_pot.games.cooking.rounds import RoundEnd
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction
from hm_agent.worlds.melting_pot.games.matrix.seat import AgainstOne
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy
from tests.agents.test_registry import play
from tests.strategists import against, begin, dyad, interact, see_pickup

DYAD, ARENA, KITCHEN = "rws_repeated_1", "rws_arena_3", "cooking_asymmetric_1"
STEPS = {DYAD: 300, ARENA: 330, KITCHEN: 250}
"""Until an agent that remembers interactions has had two or, where it forgets old ones, more than it remembers."""
STEPS_WITH_A_STRATEGY = {DYAD: 150, ARENA: 160, KITCHEN: 100}
"""Until an agent that remembers none has had some."""


@cache
def steps_of(name: str, scenario: str) -> Sequence[SeatStep]:
    steps = STEPS if name in ("react", "reflexion") else STEPS_WITH_A_STRATEGY
    return play(name, steps[scenario], find_scenarios([scenario])[0])


def asked(steps: Sequence[SeatStep], *kinds: type[Question[Any]]) -> Iterator[tuple[int, Question[Any], Any]]:
    """The questions of some kinds, with the number of the step and the answer."""
    for number, step in enumerate(steps):
        for exchange in step.decision.exchanges:
            if isinstance(exchange.question, kinds):
                yield number, exchange.question, exchange.answer


def is_understood(event: Event) -> bool:
    """True if the event is an interaction with a known player."""
    return isinstance(event, RoundEnd) or (isinstance(event, InteractionEvent) and event.partner is not None)


def understood(steps: Sequence[SeatStep]) -> list[int]:
    """How many such events there were up to and including each step."""
    return list(accumulate(sum(map(is_understood, step.decision.events)) for step in steps))


def heeded(steps: Sequence[SeatStep]) -> list[int]:
    """How many clues up to and including each step said something new, and more than slightly to who had met.

    Those among them are not asked about that suggest what the strategy counts on.
    """
    known: dict[str, tuple[str, bool]] = {}
    met: set[str] = set()
    counts = []
    for step in steps:
        count = 0
        for event in step.decision.events:
            if isinstance(event, InteractionEvent) and event.partner is not None:
                met.add(event.partner)
                known.pop(event.partner, None)
            elif isinstance(event, Clue) and event.suggests is None:
                known.pop(event.partner, None)
            elif isinstance(event, Clue) and event.suggests and not (event.is_slight and event.partner in met):
                before, clear = known.get(event.partner), (event.suggests, False)
                count += before not in (clear, (event.suggests, event.is_slight))
                known[event.partner] = clear if before == clear else (event.suggests, event.is_slight)
        counts.append(count)
    return list(accumulate(counts))


def elsewhere(*pairs: tuple[str, str]) -> list[ParameterSet]:
    """Pairs of an agent and a game in which it does what it does in another."""
    return [pytest.param(*pair, marks=pytest.mark.heavy) for pair in pairs]


@pytest.mark.parametrize(
    ("name", "scenario"),
    [*product(["react"], STEPS), ("reflexion", DYAD), *elsewhere(("reflexion", ARENA), ("reflexion", KITCHEN))],
)
def test_agents_without_a_strategy_plan_from_the_whole_history(name: str, scenario: str) -> None:
    steps = steps_of(name, scenario)
    interactions = understood(steps)
    lengths = set()
    for number, question, _ in asked(steps, Plan):
        assert isinstance(question, Plan)
        lengths.add(len(question.history))
        assert (question.strategy, question.situation.expected) == (None, None)  # type: ignore[attr-defined]
        remembered = CookingMind.remembers if scenario == KITCHEN else interactions[-1]
        assert len(question.history) == min(interactions[number], remembered)
    assert len(lengths) > 2


def test_react_shows_no_critiques_of_earlier_plans() -> None:
    for scenario in (DYAD, KITCHEN):
        plans = list(asked(steps_of("react", scenario), Plan))
        assert all(not question.critiques for _, question, _ in plans)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "scenario"),
    [
        *product(("hypothetical_minds", "vmp", "mmp", "plan_react", "he_hr"), [DYAD]),
        *product(("plan_react", "hm_joint"), [KITCHEN]),
        *elsewhere(*product(("hypothetical_minds", "vmp", "mmp", "he_hr"), [KITCHEN])),
    ],
)
def test_agents_with_a_strategy_plan_from_it_and_not_from_the_history(name: str, scenario: str) -> None:
    for _, question, _ in asked(steps_of(name, scenario), Plan):
        assert isinstance(question, Plan)
        assert not question.history
        assert question.strategy


@pytest.mark.parametrize("scenario", [DYAD, ARENA, KITCHEN])
def test_plan_react_makes_a_strategy_at_the_start_after_every_interaction_and_after_some_clues(scenario: str) -> None:
    steps = steps_of("plan_react", scenario)
    made = [0] * len(steps)
    for number, question, _ in asked(steps, ChooseStrategy):
        made[number] += 1
        assert not question.best  # type: ignore[attr-defined]
    assert made[0] == 1
    for count, met, seen in zip(accumulate(made), understood(steps), heeded(steps), strict=True):
        assert 1 + met <= count <= 1 + met + seen


@pytest.mark.parametrize("scenario", [DYAD, ARENA, KITCHEN])
def test_plan_react_plans_from_the_words_and_the_target_of_its_latest_strategy(scenario: str) -> None:
    latest: Any = None
    for _, question, answer in asked(steps_of("plan_react", scenario), ChooseStrategy, Plan):
        if isinstance(question, ChooseStrategy):
            latest = answer
            continue
        seat, given = question.situation, latest.strategy  # type: ignore[attr-defined]
        part = seat.role if scenario == KITCHEN else seat.target
        decided = given.role if scenario == KITCHEN else seat.rules.counts(given.hold)
        assert (question.strategy, part, seat.expected) == (given.words, decided, None)  # type: ignore[attr-defined]


@pytest.mark.parametrize("scenario", [DYAD, ARENA])
def test_vmp_reads_minds_once_after_each_interaction_and_otherwise_only_after_clues(scenario: str) -> None:
    steps = steps_of("vmp", scenario)
    read = [0] * len(steps)
    for number, _, _ in asked(steps, ReadMinds):
        read[number] += 1
    assert read[0] == 1
    for step, count in zip(steps[1:], read[1:], strict=True):
        clues = sum(isinstance(event, Clue) for event in step.decision.events)
        interactions = sum(map(is_understood, step.decision.events))
        assert interactions <= count <= interactions + clues
    assert sum(read) < 1 + sum(len(step.decision.events) for step in steps)


# Strategists by themselves, with a scripted model


def test_react_asks_no_question_and_remembers_interactions() -> None:
    model = ScriptedModel({})
    strategist = Reactive(dyad().mind, model)
    assert begin(strategist) == MatrixStrategy("")
    assert interact(strategist, 7) is see_pickup(strategist, 9, "paper") is None
    (met,) = strategist.history
    assert isinstance(met, MatrixInteraction)
    assert (met.step, met.other) == (7, (6, 1, 1))
    assert (strategist.hypotheses, strategist.validated) == ((), None)
    assert not model.asked


def planner(*replies: StrategyAnswer[AgainstOne] | None) -> tuple[HighLevelPlanner, ScriptedModel]:
    model = ScriptedModel({ChooseStrategy: each(replies)})
    return HighLevelPlanner(dyad().mind, model), model


ROCK_STRATEGY = StrategyAnswer(strategy=against("rock", {"rock": 6}, words="I hold rock."))


def test_plan_react_asks_for_a_strategy_with_all_interactions_shown() -> None:
    strategist, model = planner(ROCK_STRATEGY, ROCK_STRATEGY, ROCK_STRATEGY)
    begin(strategist)
    interact(strategist, 7)
    interact(strategist, 9)
    assert [[met.step for met in question.history] for question in model.of(ChooseStrategy)] == [[], [7], [7, 9]]
    assert strategist.history == ()


def test_plan_react_asks_anew_when_a_clue_suggests_something_else() -> None:
    strategist, model = planner(*[ROCK_STRATEGY] * 4)
    suggested = ["paper", "paper", "rock", None, "rock"]
    asked_after = []
    for step, suggests in enumerate(suggested):
        see_pickup(strategist, step, suggests)
        asked_after.append(len(model.asked))
    assert asked_after == [1, 1, 2, 2, 3]


def test_plan_react_is_not_asked_after_a_slight_clue_once_it_has_met_the_player_but_is_once_it_is_clear() -> None:
    strategist, model = planner(*[ROCK_STRATEGY] * 3)
    see_pickup(strategist, 5, "paper", is_slight=True)
    interact(strategist, 7)
    assert len(model.asked) == 2
    see_pickup(strategist, 40, "paper", is_slight=True)
    assert len(model.asked) == 2
    see_pickup(strategist, 44, "paper")
    assert len(model.asked) == 3


def test_plan_react_without_an_answer_calculates_the_first_strategy_and_keeps_it() -> None:
    strategist, _ = planner(None, None)
    assert begin(strategist).target is not None
    assert interact(strategist, 7) is None
