"""A small policy over texts, which learns by REINFORCE from a text environment's observations and rewards alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import exp, sqrt
from random import Random
from statistics import fmean

from hm_agent.text_env import TextEnv

Cues = Mapping[str, Sequence[str]]
"""The replies that an observation allows, and for each what in the text may speak for or against it, named alike in all
observations."""

Reading = Callable[[str], Cues]
"""Finds the cues of an observation."""


@dataclass(frozen=True)
class ChosenReply:
    """A reply that was chosen, and what its seat earned until it was asked again."""

    cues: Cues
    reply: str
    reward: float


class TextPolicy:
    """Chooses a reply with a chance in proportion to the exponential of its cues' summed weights, which begin at 0."""

    def __init__(self, learning_rate: float = 1.0) -> None:
        self.learning_rate, self.weights = learning_rate, defaultdict[str, float](float)

    def chances(self, cues: Cues) -> Mapping[str, float]:
        """The chance of each reply."""
        sums = {reply: sum(self.weights.get(cue, 0.0) for cue in own) for reply, own in cues.items()}
        highest = max(sums.values())
        scores = {reply: exp(value - highest) for reply, value in sums.items()}
        return {reply: score / sum(scores.values()) for reply, score in scores.items()}

    def best(self, cues: Cues) -> str:
        """The likeliest reply, the first of several."""
        chances = self.chances(cues)
        return max(chances, key=chances.__getitem__)

    def draw(self, cues: Cues, rng: Random) -> str:
        """A reply by its chance."""
        chances = self.chances(cues)
        return rng.choices(list(chances), list(chances.values()))[0]

    def learn(self, episodes: Sequence[Sequence[ChosenReply]], discount: float) -> None:
        """Makes one step up the gradient of the expected return (Williams, 1992), averaged over the choices that count.

        episodes: of one seat each, at least one choice together, drawn by this policy. A choice whose return is just
        the usual one counts for nothing.
        """
        chosen = [(choice, value) for choice, value in advantages(episodes, discount) if value]
        changes = defaultdict[str, float](float)
        for choice, value in chosen:
            for reply, chance in self.chances(choice.cues).items():
                for cue in choice.cues[reply]:
                    changes[cue] += value * ((reply == choice.reply) - chance)
        for cue, change in changes.items():
            self.weights[cue] += self.learning_rate * change / len(chosen)


def advantages(episodes: Sequence[Sequence[ChosenReply]], discount: float) -> list[tuple[ChosenReply, float]]:
    """Each choice with its discounted return, less the mean of the returns at the same place in all these episodes.

    The differences are divided by their root mean square, so that one learning rate suits rewards of any size.
    """
    differences = []
    for place in zip_longest(*(zip(episode, returns(episode, discount), strict=True) for episode in episodes)):
        there = [pair for pair in place if pair is not None]
        usual = fmean(value for _, value in there)
        differences += [(choice, value - usual) for choice, value in there]
    size = sqrt(fmean(value**2 for _, value in differences)) or 1.0
    return [(choice, value / size) for choice, value in differences]


def returns(episode: Sequence[ChosenReply], discount: float) -> list[float]:
    """For each choice, what was earned from it on, a reward k choices later times discount to the power k."""
    values, value = list[float](), 0.0
    for choice in reversed(episode):
        value = choice.reward + discount * value
        values.append(value)
    return values[::-1]


def play_episode(env: TextEnv, seed: int, read: Reading, choose: Callable[[Cues], str]) -> list[ChosenReply]:
    """Plays the episode of a seed in the one seat that is played from outside; returns its choices in order."""
    (seat,) = env.possible_seats
    observations, choices = env.reset(seed), list[ChosenReply]()
    while observations:
        cues = read(observations[seat])
        reply = choose(cues)
        observations, rewards, _, _ = env.step({seat: reply})
        choices.append(ChosenReply(cues, reply, rewards[seat]))
    return choices
