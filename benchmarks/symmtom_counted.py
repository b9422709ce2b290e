"""How far counting gets in matched pairs of tests of mind, on each board alone and on both boards compared.

`python -m benchmarks.symmtom_counted [pairs drawn in addition]`: a logistic regression on `counts` of who said how much
to whom in whose hearing is fitted to the pairs of one half and to drawn ones, and tested on the other half. It keeps no
account of which pieces anybody knows. A pair is drawn in some four seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt

from hm_agent.matched_pairs import HALVES, PAIRS
from hm_agent.repeated_games.choice_regression import fitted
from hm_agent.worlds.symmtom.mind_facts import DIRECTIONS, MindTest
from hm_agent.worlds.symmtom.pairs.kinds import AGENTS, KINDS
from hm_agent.worlds.symmtom.pairs.matching import MindPair, drawn_pair, shipped_pair
from hm_agent.worlds.symmtom.rules import OFFSETS
from hm_agent.worlds.symmtom.views import hearing_distance

SPREAD, STEPS, LONGEST = 1.0, 40, 2.0
"""Of the regression: the prior of its weights, and the number and the greatest length of its steps."""
Array = npt.NDArray[np.float64]
Turns = Sequence[tuple[npt.NDArray[np.bool_], Sequence[int]]]
"""By step of the prelude: who is near whom, (n, n), and the piece that each agent says."""


def turns(test: MindTest) -> Turns:
    """The prelude; all agents see where all are."""
    cells, found = np.array([part.position for part in test.agents]), []
    for step in range(test.prelude):
        did = [part.at(step) for part in test.agents]
        cells = np.clip(cells + [OFFSETS[DIRECTIONS.index(way)] for way, _ in did], 0, test.width - 1)
        here = [(int(x), int(y)) for x, y in cells]
        near = np.array([[hearing_distance(one, other) <= 1 for other in here] for one in here])
        found.append((near, [piece for _, piece in did]))
    return found


def counts(test: MindTest, rivals: tuple[int, int]) -> Array:
    """What is counted of the first rival less what is counted of the second, of speech that the tested agent heard."""
    seen, roles = turns(test), (rivals, rivals[::-1])
    one, other = (list(_counted(test, seen, *pair, *({*range(1, AGENTS)} - {*pair}))) for pair in roles)
    less: Array = np.array(one, float) - np.array(other, float)
    return less


def _counted(test: MindTest, seen: Turns, rival: int, other: int, third: int) -> Iterator[int]:
    """For each speaker, and for all together, by who hears it and who does not: `_amounts`."""
    people = (rival, other, third)
    for speakers in (*((who,) for who in people), (0,), range(AGENTS)):
        said = [
            (step, near[speaker], pieces[speaker])
            for step, (near, pieces) in enumerate(seen)
            for speaker in speakers
            if near[0, speaker]
        ]
        known = [{*test.agents[who].first_hand} for who in (*speakers[:1], 0)]
        yield from _amounts(said, known)
        for one in people:
            yield from _amounts([word for word in said if word[1][one]], known)
        for one, two in permutations(people, 2):
            yield from _amounts([word for word in said if word[1][one] and word[1][two]], known)
            yield from _amounts([word for word in said if word[1][one] and not word[1][two]], known)
    yield len(test.agents[rival].first_hand)
    yield sum(bool(near[rival, third] and not near[0, rival]) for near, _ in seen)


def _amounts(said: Sequence[tuple[int, npt.NDArray[np.bool_], int]], known: Sequence[set[int]]) -> Iterator[int]:
    """The numbers of words and pieces, when the last was said, and how many the speaker and the tested agent own."""
    pieces = {piece for _, _, piece in said}
    yield from (len(said), len(pieces), max((step for step, _, _ in said), default=-1))
    yield from (len(pieces & own) for own in known)


def examples(pairs: Sequence[MindPair]) -> tuple[Array, Array]:
    """The counts, (pairs, 2, features), and on which boards the first rival is right, 1 or -1, (pairs, 2)."""
    rivals = [(min(pair.rights), max(pair.rights)) for pair in pairs]
    seen = [[counts(test, who) for test in pair.tests] for pair, who in zip(pairs, rivals, strict=True)]
    signs = [[1 if right == who[0] else -1 for right in pair.rights] for pair, who in zip(pairs, rivals, strict=True)]
    return np.array(seen), np.array(signs, float)


def weights_of(seen: Array, signs: Array) -> Array:
    """The weights of a logistic regression without a constant, which chooses between what was seen and 0."""
    options = np.stack([seen, np.zeros_like(seen)], 1)
    return fitted(options, (signs < 0).astype(int).tolist(), SPREAD, STEPS, LONGEST)


def shares(kind: str, drawn: int) -> tuple[float, float]:
    """The shares of the shipped pairs passed by each board alone, and by both compared."""
    pairs = [shipped_pair(kind, number) for number in range(len(HALVES) * PAIRS)]
    seen, signs = examples([*pairs, *(drawn_pair(kind, 10**6 + seed) for seed in range(drawn))])
    seen /= seen.reshape(-1, seen.shape[-1]).std(0) + 1e-9
    passed = np.zeros(2)
    for half in range(len(HALVES)):
        tested = np.array([place < len(pairs) and place % len(HALVES) == half for place in range(len(seen))])
        alone = weights_of(seen[~tested].reshape(-1, seen.shape[-1]), signs[~tested].reshape(-1))
        apart = seen[:, 0] - seen[:, 1]
        both = weights_of(apart[~tested], signs[~tested, 0])
        passed[0] += (np.sign(seen[tested] @ alone) == signs[tested]).all(1).sum()
        passed[1] += (np.sign(apart[tested] @ both) == signs[tested, 0]).sum()
    one, other = (passed / len(pairs)).tolist()
    return one, other


def main(drawn: int = 0) -> None:
    print(
        f"Share of {len(HALVES) * PAIRS} pairs passed by counting, fitted to the other half and {drawn} drawn pairs\n"
    )
    print("| kind | each board alone (.25 by guessing) | both boards compared (.5 by guessing) |\n| --- | --- | --- |")
    for kind in KINDS:
        print(f"| {kind} | {' | '.join(f'{share:.2f}' for share in shares(kind, drawn))} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
