"""Items whose opponents' moves no clue tells: played in the game's bare table, and under one setting for everybody."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from statistics import mean

from hm_agent.repeated_games.learners import LEARNERS
from hm_agent.repeated_games.rules_of_play import RuleOfPlay
from hm_agent.testing.episodes import settled
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.simulator.unseen import build_puppeteer
from hm_agent.worlds.melting_pot.scenarios import all_scenarios, game_named
from hm_agent.worlds.melting_pot.suite import SUITE

GAME = game_named("rws_repeated", MatrixFacts)
KINDS = range(len(GAME.behaviours))
INFO = {info.name: info for info in SUITE.scenarios}
HIDDEN = [scenario for scenario in all_scenarios() if scenario.study == "hidden"]
ROUNDS, BEST = 20, 10.0
"""About how many interactions an episode has, and the reward of a won one."""
Rounds = Sequence[tuple[int, int]]
"""What the agent and the opponent played."""
Answer = Callable[[Rounds], int]


def rules_by_item() -> Mapping[str, list[RuleOfPlay]]:
    items: dict[str, list[RuleOfPlay]] = {}
    for scenario in HIDDEN:
        assert scenario.unseen is not None
        puppeteer = build_puppeteer(GAME, scenario.unseen)
        assert isinstance(puppeteer.choose, partial)
        items.setdefault(INFO[scenario.name].pair, []).append(puppeteer.choose.keywords["rule"])
    return items


def earned(answer: Answer, rules: Sequence[RuleOfPlay]) -> float:
    """The least over the rules of the mean reward per round, with each first move of both."""
    return min(mean(_played(answer, rule, *first) for first in product(KINDS, KINDS)) for rule in rules)


def _played(answer: Answer, rule: RuleOfPlay, own: int, other: int) -> float:
    state, rounds, total = rule.start, list[tuple[int, int]](), 0.0
    for _ in range(ROUNDS):
        rounds.append((own, other))
        total += GAME.side.payoff[own][other]
        state = rule.after(state, other, own)
        own, other = answer(rounds), rule.chances(state).index(1.0)
    return total / ROUNDS


def fixed_answers() -> list[Answer]:
    """All answers to the last round by how far apart both kinds were, and all that go on from one of the last three."""
    by_outcome: list[Answer] = [
        lambda rounds, ways=ways: (rounds[-1][0] + ways[(rounds[-1][1] - rounds[-1][0]) % 3]) % 3  # type: ignore[misc]
        for ways in product(KINDS, repeat=3)
    ]
    onward: list[Answer] = [
        lambda rounds, who=who, ago=ago, way=way: (rounds[-min(ago, len(rounds))][who] + way) % 3  # type: ignore[misc]
        for who, ago, way in product((0, 1), (1, 2, 3), KINDS)
    ]
    return [*by_outcome, *onward]


def test_no_fixed_answer_passes_an_item_though_one_passes_each_opponent() -> None:
    for item, rules in rules_by_item().items():
        assert len(rules) == 3, item
        assert max(earned(answer, rules) for answer in fixed_answers()) <= 0.05 * BEST, item
        for rule in rules:
            assert max(earned(answer, [rule]) for answer in fixed_answers()) > 0.8 * BEST


def test_a_learner_passes_every_item_so_that_none_needs_an_order() -> None:
    for item, rules in rules_by_item().items():
        assert earned(lambda rounds: LEARNERS["best_distance"](GAME.side, rounds), rules) > 0.7 * BEST, item
    assert {INFO[scenario.name].needs_order for scenario in HIDDEN} == {None}


def test_everybody_plays_them_without_clues_whatever_is_asked() -> None:
    for scenario in HIDDEN:
        assert settled(INFO[scenario.name], bots="scripted", clues="on")["clues"] == "off"
    assert settled(INFO[HIDDEN[0].game.substrate + "_order_1"], bots="scripted")["clues"] == "on"


def test_items_are_of_one_half_and_score_from_the_best_shortcut() -> None:
    for item in rules_by_item():
        of_item = [info for info in INFO.values() if info.pair == item]
        assert len({info.held_out for info in of_item}) == 1
        assert {(info.metric.floor, info.metric.ceiling) for info in of_item} == {(None, "oracle")}
