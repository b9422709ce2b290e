"""How far regressions get in drawn tables: trained for the very opponent, without any levels of thought.

`python -m benchmarks.drawn_tables`: a linear one learns from tables what each action pays, by `features` of the action;
a logistic one what the opponent plays, by the features of the shortcut `regression`. Either plays in other tables what
it expects to pay most. Scores run from always playing the best mean (0) to the best response (1).
"""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import numpy.typing as npt

from hm_agent.repeated_games import choice_regression
from hm_agent.repeated_games.levels import NAIVE, drawn_side, level_action
from hm_agent.worlds.matrix_games.settings import table_scenarios

TRAINED, TESTED = 3000, 3000
OWN = 8
"""How many of the features, the first ones, look at the player's own payoffs alone."""

SPREAD, STEPS, LONGEST = 30.0, 25, 3.0
"""Of the logistic regression: the prior of its weights, and the number and the greatest length of its steps."""

Array = npt.NDArray[np.float64]


def features(own: Array, others: Array) -> Array:
    """Of each action in each table: of its payoffs, of what the other gets for it, and of both together.

    own, others: the payoffs in all tables, by own action and the other's. The last axis of the result are the features.
    """
    best, answers = own == own.max(1, keepdims=True), others == others.max(2, keepdims=True)
    means = own.mean(2)
    of_others = (others.mean(1), others.max(1), others.min(1), answers.mean(1))
    found = [
        np.ones_like(means),
        means,
        own.max(2),
        own.min(2),
        own.std(2),
        best.sum(2),
        means == means.max(1, keepdims=True),
        own.max(2) == own.max((1, 2))[:, None],
        others.mean(2),
        others.max(2),
        others.min(2),
        (own * others).mean(2),
        (own * answers).sum(2),
        (best * answers).sum(2),
        *((own * worth[:, None]).mean(2) - means * worth.mean(1)[:, None] for worth in of_others),
    ]
    return np.stack(found, -1)


def main() -> None:
    game = table_scenarios()["mg_drawn_selfplay"].game
    assert game.highest_drawn is not None
    sides = [drawn_side(Random(seed), game.actions, game.highest_drawn) for seed in range(TRAINED + TESTED)]
    own, others = (np.array([getattr(side, name) for side in sides], float) for name in ("payoff", "others_payoff"))
    seen, numbers = features(own, others), np.arange(TESTED)
    of_choices = np.stack([choice_regression.features(side) for side in sides])
    print("| opponent | of its own payoffs | of both players' | of the opponent's choices |")
    print("| --- | --- | --- | --- |")
    for level, naive in product((1, 2, 3), NAIVE):
        played = np.array([level_action(side.opposite, level, naive) for side in sides])
        paid = own[np.arange(len(sides)), :, played]
        tested = paid[TRAINED:]
        floor = tested[numbers, own[TRAINED:].mean(2).argmax(1)].mean()
        scores = []
        for known in (seen[..., :OWN], seen):
            count = known.shape[-1]
            weights, *_ = np.linalg.lstsq(known[:TRAINED].reshape(-1, count), paid[:TRAINED].reshape(-1))
            reached = tested[numbers, (known[TRAINED:] @ weights).argmax(1)].mean()
            scores.append((reached - floor) / (tested.max(1).mean() - floor))
        weights = choice_regression.fitted(of_choices[:TRAINED], played[:TRAINED].tolist(), SPREAD, STEPS, LONGEST)
        chances = choice_regression.softmax(of_choices[TRAINED:] @ weights)
        chosen = np.einsum("rab,rb->ra", own[TRAINED:], chances).argmax(1)
        scores.append((tested[numbers, chosen].mean() - floor) / (tested.max(1).mean() - floor))
        print(f"| {naive}_{level} | {' | '.join(f'{score:.2f}' for score in scores)} |")


if __name__ == "__main__":
    main()
