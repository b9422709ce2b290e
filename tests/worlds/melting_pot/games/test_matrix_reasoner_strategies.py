"""The built-in reasoner's answers in matrix games to the questions of the baselines and ablations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from hm_agent.core import Hypothesis
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy, FollowStrategy, JudgeStrategy, Plan, ReviewPlan
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.mind_questions import Predict, Propose, ReadMinds
from hm_agent.worlds.melting_pot.facts import argmax
from hm_agent.worlds.melting_pot.games.matrix.map_seat import MOST_CALLS, Place, Seen, Site
from hm_agent.worlds.melting_pot.games.matrix.pickups import PickupRecord
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules
from hm_agent.worlds.melting_pot.games.matrix.seat import MatrixSeat, OtherPlayer
from tests.support.melting_pot.asking import ask
from tests.worlds.melting_pot.games.matrix_examples import (
    AFTER,
    ARENA,
    DILEMMA,
    HUNT,
    PLAN,
    PLANNED,
    ROCK_PAPER_SCISSORS,
    STRANGER,
    first_hypothesis,
    map_of,
    planned,
    pure,
    pure_interaction,
)
from tests.worlds.melting_pot.games.test_prompts import EXAMPLES

BEATS = {"rock": "paper", "paper": "scissors", "scissors": "rock"}
"""What beats each kind."""
THINGS = dict(zip(ROCK_PAPER_SCISSORS.behaviours, ROCK_PAPER_SCISSORS.things, strict=True))
NOTHING = (1, 1, 1)


def played(rules: MatrixRules, *moves: tuple[str, str], players: Iterable[str] = ()) -> tuple[MatrixInteraction, ...]:
    """The interactions with these moves: (the agent's, the other player's). players: the partners, if several."""
    names = [*players] or ["opponent"] * len(moves)
    return tuple(
        pure_interaction(rules, own, other, step=100 * number, partner=name)
        for number, (name, (own, other)) in enumerate(zip(names, moves, strict=True))
    )


def lead(rules: MatrixRules, hold: dict[str, int]) -> str:
    main = argmax(rules.counts(hold))
    assert main is not None
    return rules.behaviours[main]


RESPONDING = (("rock", "scissors"), ("scissors", "paper"), ("paper", "rock"), ("rock", "scissors"), ("paper", "paper"))
HISTORIES = [
    (ROCK_PAPER_SCISSORS, ()),
    (ROCK_PAPER_SCISSORS, played(ROCK_PAPER_SCISSORS, *[("paper", "rock")] * 3)),
    (ROCK_PAPER_SCISSORS, played(ROCK_PAPER_SCISSORS, *RESPONDING)),
    (DILEMMA, ()),
    (DILEMMA, played(DILEMMA, ("cooperate", "cooperate"), ("defect", "cooperate"), ("cooperate", "defect"))),
    (DILEMMA, played(DILEMMA, *[("cooperate", "defect")] * 4)),
    (HUNT, played(HUNT, ("stag", "hare"), ("hare", "stag"), ("stag", "hare"))),
]
CROWDS = [
    (),
    played(ARENA, *[("paper", "rock")] * 3, players=("player_1", "player_2", "player_1")),
    played(
        ARENA, ("rock", "paper"), ("rock", "rock"), ("paper", "scissors"), players=("player_1", "player_2", "player_3")
    ),
]
OTHERS = tuple(f"player_{number}" for number in range(1, 8))
CROWD = tuple(map(OtherPlayer, OTHERS))
ONE = (STRANGER,)


def seat_in(rules: MatrixRules) -> MatrixSeat:
    """The situation of a player that holds nothing and has seen nobody."""
    others = CROWD if rules is ARENA else ONE
    return MatrixSeat(rules, 500, (rules.initial_inventory,) * len(rules.behaviours), others)


def made_after(rules: MatrixRules, history: tuple[MatrixInteraction, ...], *best: Hypothesis) -> Any:
    """The strategy of its own that the reasoner makes after these interactions."""
    return ask(ChooseStrategy(seat_in(rules), history, best=best)).strategy


def followed_after(rules: MatrixRules, history: tuple[MatrixInteraction, ...], words: str) -> Any:
    return ask(FollowStrategy(seat_in(rules), history, words)).strategy


def test_every_kind_of_question_has_a_valid_answer() -> None:
    for question in EXAMPLES.values():
        ask(question)


# Planning without a strategy

UNDECIDED = planned(
    PLAN,
    held=NOTHING,
    others=ONE,
    strategy=None,
    target=None,
    expected=None,
    sightings=(),
    things=tuple(Place(kind, (x, 7), 345, True) for x, kind in enumerate(map_of(PLAN).rules.things * 2, 3)),
)


def fetched(question: Plan) -> set[str]:
    """The kinds of things that a plan collects."""
    places: tuple[Place | Site, ...] = (*map_of(question).things, *map_of(question).sites)
    kinds = {str(place.cell): place.kind for place in places}
    ways = [call for call in ask(question).calls if call.startswith("move_to")]
    return {kinds[cell] for way in ways for cell in kinds if way.endswith(f"({cell})")}


@pytest.mark.parametrize("other", BEATS)
def test_plan_without_a_strategy_collects_what_beats_the_opponent(other: str) -> None:
    history = played(ROCK_PAPER_SCISSORS, *[("rock", other)] * 3)
    assert fetched(planned(UNDECIDED, history=history)) == {THINGS[BEATS[other]]}


@pytest.mark.parametrize("other", BEATS)
def test_plan_without_a_strategy_collects_what_beats_most_of_many(other: str) -> None:
    history = played(ARENA, *[("rock", other)] * 4, players=OTHERS[:4])
    assert fetched(planned(UNDECIDED, rules=ARENA, history=history, others=CROWD)) == {THINGS[BEATS[other]]}


def test_plan_without_a_strategy_accounts_for_all_players() -> None:
    first, others = [("rock", "scissors")] * 6, [("rock", "rock")] * 5
    history = played(ARENA, *first, *others, players=[*["player_1"] * 6, *OTHERS[1:6]])
    assert fetched(planned(UNDECIDED, rules=ARENA, history=history, others=CROWD)) == {"purple_box"}


def believed_after(rules: MatrixRules, history: tuple[MatrixInteraction, ...]) -> tuple[Hypothesis, ...]:
    """The hypothesis that is proposed after these interactions; none before the first."""
    proposed = ask(first_hypothesis(rules, *history)).hypothesis if history else None
    return (Hypothesis(proposed),) if proposed else ()


@pytest.mark.parametrize(("rules", "history"), HISTORIES[:3])
def test_plan_without_a_strategy_counters_the_likeliest_hypothesis(
    rules: MatrixRules, history: tuple[MatrixInteraction, ...]
) -> None:
    believed = believed_after(rules, history)
    counter = ask(Predict(seat_in(rules), "opponent", history, believed)).strategy  # type: ignore[attr-defined]
    undecided = planned(UNDECIDED, history=history)
    watch = ["shadow(opponent)"] if counter.watch else []
    route = ask(planned(undecided, target=rules.counts(counter.hold))).calls
    assert ask(undecided).calls == [*watch, *route][:MOST_CALLS]


def test_plan_without_strategy_among_unknown_players_watches_them() -> None:
    plan = ask(planned(UNDECIDED, rules=ARENA, others=CROWD)).calls
    assert [call.split("(")[0] for call in plan] == ["move_to", "wait"]


def test_plan_for_the_strategy_to_watch_keeps_players_in_view_and_fires_at_nobody() -> None:
    watching = planned(UNDECIDED, rules=ARENA, others=CROWD, target=(1, 1, 1), is_watching=True)
    assert [call.split("(")[0] for call in ask(watching).calls] == ["move_to", "wait"]
    seen = Seen(OTHERS[0], (5, 5), map_of(watching).step, sought=False, mark=None)
    assert ask(planned(watching, sightings=(seen,))).calls[0] == f"shadow({OTHERS[0]})"


def test_plan_without_strategy_answers_what_was_seen_taken() -> None:
    present = PickupRecord(99, (0, 3, 0))
    assert fetched(planned(UNDECIDED, others=(replace(ONE[0], present=present),))) == {"blue_box"}
    seen = tuple(replace(each, present=present if each.player in OTHERS[2:4] else None) for each in CROWD)
    among_many = planned(UNDECIDED, rules=ARENA, others=seen, held=(1, 1, 2))
    assert fetched(among_many) == {"blue_box"}
    assert "fire_on_sight(player_3, player_4)" in ask(among_many).calls


def test_plan_without_strategy_or_history_keeps_the_kind_that_leads() -> None:
    first = UNDECIDED
    (thing,) = fetched(first)
    for count in range(2, 6):
        held = tuple(count if known == thing else 1 for known in map_of(PLAN).rules.things)
        assert fetched(planned(first, held=held)) == {thing}


# Strategies of the agent's own


@pytest.mark.parametrize(("rules", "history"), HISTORIES)
def test_following_a_strategys_words_gives_the_inventory_it_was_made_with(
    rules: MatrixRules, history: tuple[MatrixInteraction, ...]
) -> None:
    made = made_after(rules, history)
    assert followed_after(rules, history, made.words).hold == made.hold


@pytest.mark.parametrize("history", CROWDS)
def test_following_a_strategys_words_among_many_gives_what_it_was_made_with(
    history: tuple[MatrixInteraction, ...],
) -> None:
    made = made_after(ARENA, history)
    followed = followed_after(ARENA, history, made.words)
    assert (followed.hold, followed.seek) == (made.hold, made.seek)


@pytest.mark.parametrize("other", BEATS)
def test_strategy_is_followed_literally_after_the_opponent_has_changed(other: str) -> None:
    made = made_after(ROCK_PAPER_SCISSORS, played(ROCK_PAPER_SCISSORS, *[("rock", other)] * 3))
    assert lead(ROCK_PAPER_SCISSORS, made.hold) == BEATS[other]
    changed = played(ROCK_PAPER_SCISSORS, *[("rock", other)] * 3, *[("rock", BEATS[other])] * 4)
    later = followed_after(ROCK_PAPER_SCISSORS, changed, made.words)
    assert lead(ROCK_PAPER_SCISSORS, later.hold) == BEATS[other]
    anew = made_after(ROCK_PAPER_SCISSORS, changed)
    assert lead(ROCK_PAPER_SCISSORS, anew.hold) == BEATS[BEATS[other]]
    assert anew.words != made.words


def test_a_strategy_among_many_keeps_its_kind_and_seeks_those_that_lose_to_it() -> None:
    history = played(
        ARENA, *[("rock", "rock")] * 2, *[("rock", "scissors")] * 2, players=[*["player_1"] * 2, *["player_5"] * 2]
    )
    for kind, prey, enemy in (("paper", "player_1", "player_5"), ("rock", "player_5", None)):
        answer = followed_after(ARENA, history, f"Lead with {kind}, and meet those that lose to it.")
        assert lead(ARENA, answer.hold) == kind
        assert prey in answer.seek
        assert enemy not in answer.seek


def test_earlier_strategies_that_paid_shape_the_next_one() -> None:
    history = played(ROCK_PAPER_SCISSORS, ("rock", "rock"), ("rock", "paper"))
    first = made_after(ROCK_PAPER_SCISSORS, history[:1]).words
    assert made_after(ROCK_PAPER_SCISSORS, history).words != first
    assert made_after(ROCK_PAPER_SCISSORS, history, Hypothesis(first, 3.0)).words == first


@pytest.mark.parametrize("other", BEATS)
def test_hindsight_is_positive_for_what_beats_the_opponent_and_negative_for_what_loses(other: str) -> None:
    (interaction,) = played(ROCK_PAPER_SCISSORS, ("rock", other))
    loses = next(kind for kind in BEATS if BEATS[kind] == other)
    for instead, outcome in ((BEATS[other], "positive"), (other, "neutral"), (loses, "negative")):
        question = JudgeStrategy(seat_in(ROCK_PAPER_SCISSORS), interaction, pure(ROCK_PAPER_SCISSORS, instead))
        assert ask(question).outcome == outcome


# All steps in one question


@pytest.mark.parametrize(("rules", "history"), HISTORIES)
@pytest.mark.parametrize("has_taken", [False, True])
def test_one_question_is_answered_as_the_separate_ones(
    rules: MatrixRules, history: tuple[MatrixInteraction, ...], has_taken: bool
) -> None:
    seat = seat_in(rules)
    taken = tuple(2 * (n == 0) for n in range(len(seat.held)))
    seat = replace(seat, others=(OtherPlayer("opponent", PickupRecord(500, taken) if has_taken else None),))
    answer = ask(ReadMinds(seat, ("opponent",) if history else (), history))
    believed = believed_after(rules, history)
    step_by_step: Any = ask(Predict(seat, "opponent", history, believed))
    assert answer.strategy.hold == step_by_step.strategy.hold
    thought = [(mind.player, mind.hypothesis, mind.next.kind) for mind in answer.minds]
    assert thought == ([("opponent", believed[0].words, step_by_step.next[-1].kind)] if history else [])


@pytest.mark.parametrize("history", CROWDS)
def test_one_question_among_many_is_answered_as_the_separate_ones(history: tuple[MatrixInteraction, ...]) -> None:
    met = {name: tuple(past for past in history if past.partner == name) for name in OTHERS}
    known = {name: past for name, past in met.items() if past}
    answer = ask(ReadMinds(seat_in(ARENA), tuple(known), history))
    words = {name: ask(Propose(seat_in(ARENA), name, past, ())).hypothesis for name, past in known.items()}
    assert {mind.player: mind.hypothesis for mind in answer.minds} == words
    beliefs = tuple(PlayerBelief(name, said, None) for name, said in words.items())
    seat = replace(seat_in(ARENA), interactions=history)
    chosen = ask(ChooseStrategy(seat, (), others=beliefs, is_rule=False)).strategy
    assert history or chosen.watch
    assert chosen.watch or answer.strategy == chosen


# Evaluation of plans


@pytest.mark.parametrize(
    ("paid", "gained", "words"),
    [
        (2.5, 1, r"\+2\.50: keep"),
        (-2.5, 1, r"-2\.50: hold something else"),
        (0.0, 1, "collected 1"),
        (0.0, 0, "nothing"),
    ],
)
def test_plan_is_evaluated_by_its_reward_or_its_pickups(paid: float, gained: int, words: str) -> None:
    held = replace(map_of(AFTER), held=(1, 3 + gained, 2))
    question = ReviewPlan(held, PLANNED, "the plan is used up", paid, PLAN.situation)
    assert re.search(words, ask(question).critique)
