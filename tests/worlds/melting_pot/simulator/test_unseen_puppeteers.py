"""The puppeteers of unseen opponents, against their definitions: the other's moves in, the puppet's goals out."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from meltingpot.configs import bots as bot_configs

from hm_agent.repeated_games.written_rules import RULES_OF_PLAY
from hm_agent.worlds.melting_pot.facts import Counts, UnseenFacts
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.simulator.puppeteers import CHOICES, MatrixPuppeteer
from hm_agent.worlds.melting_pot.games.matrix.simulator.unseen import WATCHERS, build_puppeteer
from hm_agent.worlds.melting_pot.scenarios import all_scenarios
from hm_agent.worlds.melting_pot.simulator.determinism import drawing_from
from tests.worlds.melting_pot.simulator.puppet_timesteps import PD, RWS, holding, meaning, timestep

KINDS = {letter: kind for game in (RWS, PD) for kind in game.behaviours for letter in kind[0]}
"""By their first letters: r, p, s, c, d."""
UNCLEAR = "="
EVERY = 5


def inventory(game: MatrixFacts, letter: str) -> Counts:
    if letter == UNCLEAR:
        return (6,) * len(game.resources)
    return holding(game, next(kind for kind in game.behaviours if kind.startswith(letter)))


def by_name(name: str, game: MatrixFacts = RWS, **parameters: Any) -> MatrixPuppeteer:
    facts = UnseenFacts(short_name="unseen", about="", held_out=True, puppeteer=name, parameters=parameters)
    return build_puppeteer(game, facts)


def moves(puppeteer: MatrixPuppeteer, others: str, own: str | None = None, seed: int = 0) -> str:
    """The kinds targeted, by their letters: at first and after each interaction, one in `EVERY` steps.

    others: the other's moves. own: those of the bot; None: it holds what it targets.
    """
    game, targets = puppeteer.game, ""
    with drawing_from(random.Random(seed)):
        state = puppeteer.initial_state()
        stepped, state = puppeteer.step(timestep(game, first=True), state)
        for number, other in enumerate(others):
            targets += meaning(game, stepped).removeprefix("collect ")[0]
            held = inventory(game, own[number] if own else targets[-1]), inventory(game, other)
            stepped, state = puppeteer.step(timestep(game, interaction=held), state)
            for _ in range(EVERY - 1):
                quiet, state = puppeteer.step(timestep(game), state)
                assert meaning(game, quiet) == meaning(game, stepped), "it changed its mind without an interaction"
    return targets + meaning(game, stepped).removeprefix("collect ")[0]


ROCK, COOPERATE = {"first": "rock"}, {"first": "cooperate"}
Case = tuple[str, Mapping[str, Any], str, str]
"""A puppeteer, its parameters, what the other plays, and what it targets at first and after each of these moves."""
IN_RWS: Sequence[Case] = [
    # It comes round whatever the other plays.
    ("cycle", {"cycle": ("rock", "rock", "paper")}, "sprs=pr", "rrprrprr"),
    # It beats the move so many rounds ago, and goes on as before where that was unclear.
    ("counter_earlier", {**ROCK, "rounds_ago": 1}, "psprsr", "rsrsprp"),
    ("counter_earlier", {**ROCK, "rounds_ago": 2}, "psprsr", "rrsrspr"),
    ("counter_earlier", {**ROCK, "rounds_ago": 3}, "psprsr", "rrrsrsp"),
    ("counter_earlier", {**ROCK, "rounds_ago": 2}, "p=ss", "rrssr"),
    # Rock beats scissors: stays; a tie: paper; scissors beat paper: scissors; unclear: as before; rock beats it: rock.
    ("win_stay_lose_shift", {**ROCK, "aspiration": 0}, "srs=r", "rrpssr"),
    ("noisy_copy", {**ROCK, "noise": 0}, "ps=r", "rpssr"),
    # Against p, pp and ppr scissors are best, by 10, 20 and 10; against prr and rrr paper, by 20 and 30.
    ("fictitious_play", {**ROCK, "window": 3}, "pprrr", "rssspp"),
    # It forgets what lies before its window.
    ("fictitious_play", {**ROCK, "window": 2}, "rrrrss", "rpppprr"),
    ("fictitious_play", {**ROCK, "window": 6}, "rrrrss", "rpppppp"),
    # It beats the best response to its own last move.
    ("outguess", ROCK, "rrrr", "rsprs"),
    # At order 0 it stays with its kind, at order 1 it beats the other's last move.
    ("theory_of_mind", {**ROCK, "order": 0}, "psrp", "rrrrr"),
    ("theory_of_mind", {**ROCK, "order": 1}, "pspr=r", "rsrsppp"),
    # The other best-responds to the bot's last move: r, then p against r, r against s, s against p.
    ("theory_of_mind", {**ROCK, "order": 2}, "rprs", "rsprs"),
    # The other stays with rock: as expected at depth 1 each time; at depth 2, from s on r would be right, too.
    ("theory_of_mind", {**ROCK, "order": 2}, "rrrr", "rsppp"),
    # It switches after losses in a row; in the second case, the loss with rock does not count against paper.
    ("switch_after_losses", {**ROCK, "losses": 2}, "prppssr", "rrrrppss"),
    ("switch_after_losses", {**ROCK, "losses": 2}, "ppsps", "rrpppp"),
    # Paper beats rock: it expects paper again and plays scissors; rock beats scissors: back to its habit, scissors.
    ("deeper_when_beaten", {**ROCK, "order": 2}, "ssprss", "rrrssss"),
    # At order 3 its habit is to beat the other's last kind; it learns nothing where no kind of the other's led.
    ("deeper_when_beaten", {**ROCK, "order": 3}, "sr", "rrp"),
    ("deeper_when_beaten", {**ROCK, "order": 3}, "s=r", "rrrp"),
    # Paper beats rock: its habit would be scissors, the answer to that is rock, and paper beats that.
    ("deeper_when_beaten", {**ROCK, "order": 3}, "p", "rp"),
]
IN_PD: Sequence[Case] = [
    # Pavlov changes after a defection, and goes back after mutual defection.
    ("win_stay_lose_shift", {**COOPERATE, "aspiration": 2}, "cdcddcc", "ccddcddd"),
    ("win_stay_lose_shift", {**COOPERATE, "aspiration": 2}, "dd", "cdc"),
    # A single defection is forgiven.
    ("tit_for_two_tats", {}, "dcdcddcd", "ccccccdcc"),
    ("generous_tit_for_tat", {"generosity": 0.0}, "dcdd", "cdcdd"),
    ("generous_tit_for_tat", {"generosity": 1.0}, "dcdd", "ccccc"),
    # Offence 1: d, cc; offence 2: dd, cc; what happens during these provokes nothing; offence 3: ddd.
    ("gradual", {}, "d" + "ddd" + "d" + "cccd" + "d" + "ccc", "c" + "dcc" + "c" + "ddcc" + "c" + "ddd" + "c"),
    # It offers peace after mutual defections.
    ("suspicious_tit_for_tat", {"patience": 3}, "cc", "dcc"),
    ("suspicious_tit_for_tat", {"patience": 3}, "ddddddc", "dddcdddc"),
    # It copies only after it was punished.
    ("corrigible", {"times": 2, "cooperate": "cooperate", "defect": "defect"}, "cdcdcdc", "ddddccdc"),
]


@pytest.mark.parametrize(("game", "cases"), [(RWS, IN_RWS), (PD, IN_PD)], ids=["rws", "pd"])
def test_puppeteers_play_by_their_definitions(game: MatrixFacts, cases: Sequence[Case]) -> None:
    for name, parameters, others, expected in cases:
        assert moves(by_name(name, game, **parameters), others) == expected, (name, parameters)


def shares(drawn: Iterable[str]) -> dict[str, float]:
    counts = Counter(drawn)
    return {kind: count / counts.total() for kind, count in counts.items()}


def test_mixture_has_its_weights_and_moves_them_on_at_half_time() -> None:
    mixture = by_name("rotating_mixture", weights=(0.7, 0.2, 0.1), half_time=EVERY * 1000)
    drawn = moves(mixture, "r" * 2000)
    assert shares(drawn[:1001]) == pytest.approx({"r": 0.7, "p": 0.2, "s": 0.1}, abs=0.05)
    assert shares(drawn[1001:]) == pytest.approx({"p": 0.7, "s": 0.2, "r": 0.1}, abs=0.05)


def test_noisy_copy_copies_but_for_the_noise() -> None:
    others = "".join(random.Random(1).choices("rps", k=2000))
    copied = moves(by_name("noisy_copy", noise=0.3), others)
    agreeing = sum(own == other for own, other in zip(copied[1:], others, strict=True)) / len(others)
    assert agreeing == pytest.approx(0.7 + 0.3 / 3, abs=0.04)


def test_fictitious_play_keeps_its_kind_among_best_responses() -> None:
    for letter in "rps":
        fictitious = by_name("fictitious_play", window=3, first=KINDS[letter])
        assert moves(fictitious, "=rps")[::4] == letter + "p"
        assert moves(fictitious, "=") == letter * 2


def test_outguess_goes_by_what_it_held() -> None:
    assert moves(by_name("outguess", first="rock"), "rrrr", own="ppss") == "rrrpp"


def test_theory_of_mind_of_order_3_beats_the_one_of_order_2() -> None:
    # The other expects best responses to its own moves and beats them, so r is followed by s, s by p, p by r.
    others = "rsprs"
    third_order = by_name("theory_of_mind", first="rock", order=3)
    played = zip(moves(third_order, others)[1:-1], others[1:], strict=True)
    index = [kind[0] for kind in RWS.behaviours].index
    assert [RWS.payoff[index(own)][index(other)] for own, other in played] == [10] * 4


def test_generous_tit_for_tat_forgives_its_share_of_defections() -> None:
    generous = moves(by_name("generous_tit_for_tat", PD, generosity=0.333), "d" * 2000)
    assert shares(generous[1:]) == pytest.approx({"d": 0.667, "c": 0.333}, abs=0.04)


def test_a_rule_draws_by_its_chances() -> None:
    mixture = by_name("mixture", weights=[0.6, 0.3, 0.1])
    drawn = moves(mixture, "r" * 2000)
    assert shares(drawn) == pytest.approx({"r": 0.6, "p": 0.3, "s": 0.1}, abs=0.04)


PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "win_stay_lose_shift": {"aspiration": 0},
    "noisy_copy": {"noise": 0.5},
    "fictitious_play": {"window": 5},
    "outguess": {},
    "switch_after_losses": {"losses": 2},
    "theory_of_mind": {"order": 2},
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_first_kind_is_drawn_from_the_episodes_stream(name: str) -> None:
    puppeteer = by_name(name, **PARAMETERS[name])
    before = random.getstate()
    firsts = [moves(puppeteer, "", seed=seed) for seed in range(60)]
    assert {*firsts} == {*"rps"}
    assert firsts == [moves(puppeteer, "", seed=seed) for seed in range(60)]
    assert random.getstate() == before


def test_a_new_episode_forgets_the_last_one() -> None:
    cycle = by_name("cycle", cycle=("rock", "paper"))
    stepped, state = cycle.step(timestep(RWS, interaction=((6, 1, 1), (6, 1, 1))), cycle.initial_state())
    assert meaning(RWS, stepped) == "collect paper"
    stepped, _ = cycle.step(timestep(RWS, first=True), state)
    assert meaning(RWS, stepped) == "collect rock"


@pytest.mark.parametrize(("held", "expected"), [(5, "collect"), (6, "play")])
def test_puppet_is_to_play_once_it_holds_the_margin(held: int, expected: str) -> None:
    cycle = by_name("cycle", cycle=("paper",))
    stepped, _ = cycle.step(timestep(RWS, holding(RWS, "paper", held)), cycle.initial_state())
    assert meaning(RWS, stepped) == f"{expected} paper"


@pytest.mark.parametrize("game", [RWS, PD], ids=["rws", "pd"])
def test_goals_are_those_that_melting_pots_puppets_know(game: MatrixFacts) -> None:
    own = by_name("cycle", game, cycle=game.behaviours)._resources
    official = bot_configs._RESOURCES[game.substrate]
    assert sorted(resource.index for resource in own) == sorted(one.index for one in official.values())
    for mine, theirs in zip(own, sorted(official.values(), key=lambda one: int(one.index)), strict=True):
        assert np.array_equal(mine.collect_goal, theirs.collect_goal)
        assert np.array_equal(mine.interact_goal, theirs.interact_goal)


# From the facts


UNSEEN: Sequence[tuple[MatrixFacts, UnseenFacts]] = [
    (scenario.game, scenario.unseen)
    for scenario in all_scenarios()
    if scenario.unseen and isinstance(scenario.game, MatrixFacts) and scenario.unseen.puppeteer not in WATCHERS
]


def test_every_puppeteer_plays_a_scenario() -> None:
    assert {*CHOICES} <= {facts.puppeteer for _, facts in UNSEEN} <= {*CHOICES, *RULES_OF_PLAY}


def test_every_unseen_scenario_has_a_puppeteer_that_answers_any_move() -> None:
    for game, facts in UNSEEN:
        letters = [kind[0] for kind in game.behaviours] + [UNCLEAR]
        others = "".join(random.Random(3).choices(letters, k=40))
        assert {*moves(build_puppeteer(game, facts), others)} <= {*letters}, facts.short_name


def test_order_of_an_unseen_opponent_tells_whose_moves_it_looks_at() -> None:
    for game, facts in UNSEEN:
        puppeteer, letters = build_puppeteer(game, facts), [kind[0] for kind in game.behaviours]
        drawn = ["".join(random.Random(seed).choices(letters, k=30)) for seed in range(4)]
        looks_at_the_others = len({moves(puppeteer, others, own=drawn[0]) for others in drawn}) > 1
        looks_at_its_own = len({moves(puppeteer, drawn[0], own=own) for own in drawn}) > 1
        order = 2 if looks_at_its_own else 1 if looks_at_the_others else 0
        # No rule of order 0 describes a cycle, which looks at no move; and who takes decoys knows that it is looked at.
        # A constant goes on with whatever it is made to play here, and is made to play nothing else in a game.
        deceives = facts.character is not None and facts.character.decoys != (0, 0)
        stated = 0 if facts.puppeteer == "pure" else order
        assert facts.order == (None if facts.puppeteer == "cycle" or deceives else stated), facts.short_name
