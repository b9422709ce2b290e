"""The small policy over texts learns from the real environment's rewards."""

from __future__ import annotations

from random import Random

import pytest

from hm_agent.learning.text_policy import ChosenReply, Cues, TextPolicy, advantages, play_episode, returns
from hm_agent.text_env import text_env


def read(text: str) -> Cues:
    assert "paper" in text
    return {f"play({action})": [action] for action in ("rock", "paper", "scissors")}


def test_an_update_makes_the_rewarded_reply_likelier() -> None:
    policy, rng = TextPolicy(), Random(0)
    with text_env("mg_rps_rock") as env:
        first = [play_episode(env, seed, read, lambda cues: policy.draw(cues, rng)) for seed in range(2)]
        before = policy.chances(first[0][0].cues)
        policy.learn(first, discount=0.0)
        after = policy.chances(first[0][0].cues)
        assert before["play(paper)"] == pytest.approx(1 / 3)
        assert after["play(scissors)"] < after["play(rock)"] < after["play(paper)"]
        won = play_episode(env, 2, read, policy.best)
    assert sum(choice.reward for choice in won) == 10 * len(won)


def test_returns_discount_what_comes_later() -> None:
    episode = [ChosenReply({}, "", reward) for reward in (1.0, 0.0, 4.0)]
    assert returns(episode, 0.5) == [2.0, 2.0, 4.0]


def test_advantages_compare_the_same_place_of_episodes() -> None:
    better, worse = (ChosenReply({}, "", reward) for reward in (3.0, 1.0))
    longer = ChosenReply({}, "", 7.0)
    assert advantages([[better, longer], [worse]], 0.0) == [
        (better, pytest.approx(1.5**0.5)),
        (worse, pytest.approx(-(1.5**0.5))),
        (longer, 0.0),
    ]
