"""The rules of a matrix game: what an interaction pays, and what the reward tells of the partner's inventory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import product
from operator import mul

import numpy as np
import numpy.typing as npt

from hm_agent.core import Interaction
from hm_agent.models.prompts import phrase
from hm_agent.questions import UNSHOWN
from hm_agent.repeated_games.payoffs import Side, Table, transposed
from hm_agent.worlds.melting_pot.facts import Beam, Counts, Length, argmax
from hm_agent.worlds.melting_pot.games.matrix.facts import Regrowth, Timing
from hm_agent.worlds.melting_pot.games.options import Hints

_refusal = partial(phrase, "melting_pot/matrix/messages.j2")

MAIN, SIDE = 30, 6
"""How many units beyond the initial ones an opponent may hold: of its main resource, and of each other resource."""
UNSEEN_WEIGHT = 0.1
"""The factor on an inventory's prior for each unit that it lacks of what the opponent was seen to take."""
TAKEN_WEIGHT = 1e-7
"""The same factor where nobody but the opponent can have taken these units."""
UNLIKELY = 1e-6
"""`is_lead_open` leaves out inventories with a smaller posterior probability."""
TOLERANCE = 1e-6
"""By how much an inventory's error may exceed the smallest one if the inventory is still to explain the reward."""
SIDE_WEIGHT = 0.3
"""The factor on an inventory's prior for each unit collected of a resource other than the main one."""


@lru_cache(maxsize=10_000)  # a search for the best target asks for the same few hundred over and over
def reward(own: Counts, other: Counts, payoff: Table) -> float:
    """v_own^T A v_other over normalised inventories (appendix B.1)."""
    paid: float = sum(mine * sum(map(mul, row, other)) for mine, row in zip(own, payoff, strict=True))
    return paid / (sum(own) * sum(other))


@cache
def _candidates(resources: int, initial: int) -> npt.NDArray[np.int64]:
    """The inventories that an opponent may hold, (n, resources): one main resource, a few units of the others."""

    def inventories() -> Iterator[Counts]:
        for main in range(resources):
            for sides in product(range(initial, initial + SIDE + 1), repeat=resources - 1):
                for count in range(initial + 1, initial + MAIN + 1):
                    if count >= max(sides):
                        yield (*sides[:main], count, *sides[main:])

    return np.array(sorted(set(inventories())))


@dataclass(frozen=True, slots=True)
class PartnerEvidence:
    """What is known of a partner's inventory beside the reward.

    initial: the count of each resource with which every player starts. taken: the count of each that the partner was
    seen to take since it came back; empty if unknown. steps: how many steps it had for collecting; None if unknown.
    is_alone: True if the agent has no other opponent.
    """

    initial: int
    taken: Counts = ()
    steps: int | None = None
    is_alone: bool = False


def consistent_inventories(
    own: Counts, received: float, payoff: Table, evidence: PartnerEvidence
) -> list[tuple[Counts, float]]:
    """The inventories of the partner that explain the reward best, each with its posterior, the likeliest first.

    The prior prefers inventories with few units besides the main resource, since players collect for one pure strategy,
    and inventories that hold what the partner was seen to take. It excludes those with more things than the partner had
    steps to collect, unless that would exclude all.
    """
    candidates = _candidates(len(payoff), evidence.initial)
    v = np.array(own, float) / sum(own)
    rewards = (candidates / candidates.sum(1, keepdims=True)) @ (v @ np.array(payoff))
    error = np.abs(rewards - received)
    fits = candidates[error <= error.min() + TOLERANCE]
    weights = _prior_weights(fits, evidence)
    order = np.lexsort((fits.sum(1), -weights))
    return [(tuple(map(int, fits[n])), float(weights[n] / weights.sum())) for n in order]


def _prior_weights(inventories: npt.NDArray[np.int64], evidence: PartnerEvidence) -> npt.NDArray[np.float64]:
    """The unnormalised prior probability of each inventory, (n,). inventories: (n, resources)."""
    collected = inventories - evidence.initial
    weights = SIDE_WEIGHT ** (collected.sum(1) - collected.max(1)).astype(float)
    if evidence.taken:
        lacking = np.maximum(0, np.array(evidence.taken) - collected).sum(1)
        weights = weights * (TAKEN_WEIGHT if evidence.is_alone else UNSEEN_WEIGHT) ** lacking.astype(float)
    if evidence.steps is not None and (possible := collected.sum(1) <= evidence.steps).any():
        weights = weights * possible
    prior: npt.NDArray[np.float64] = weights
    return prior


def is_lead_open(own: Counts, received: float, payoff: Table, evidence: PartnerEvidence) -> bool:
    """True if the partner's inventories that explain the reward don't agree on which resource led."""
    fits = consistent_inventories(own, received, payoff, evidence)
    return len({argmax(inventory) for inventory, weight in fits if weight >= UNLIKELY}) > 1


def infer_inventory(
    own: Counts, received: float, payoff: Table, evidence: PartnerEvidence
) -> tuple[Counts, int | None]:
    """The likeliest inventory that plays the partner's likeliest pure strategy, and the index of that strategy.

    The index is None unless the strategy's total probability exceeds one half: an own inventory in which no resource
    leads yields the same reward against every strategy. Then the inventory is the likeliest of all.
    """
    fits = consistent_inventories(own, received, payoff, evidence)
    probabilities = [0.0] * len(payoff)
    for inventory, probability in fits:
        main = argmax(inventory)
        if main is not None:
            probabilities[main] += probability
    best = int(np.argmax(probabilities))
    if probabilities[best] <= 0.5:
        return fits[0][0], None
    return next(inventory for inventory, _ in fits if argmax(inventory) == best), best


MOST_HELD = 40
"""The largest count of one resource that an answer may name."""
MOST_LISTED = 4
"""The largest number of errors that one message lists."""


@dataclass(frozen=True, slots=True)
class StageGame:
    """The part of `MatrixRules` on which inference about an opponent's rule depends.

    side: the game of one interaction as the agent sees it. order: the highest order of the rules that the built-in
    reasoner considers; None for all.
    """

    side: Side
    order: int | None = None


@dataclass(frozen=True, slots=True)
class MatrixRules:
    """The facts of a matrix game that every player knows.

    behaviours: the pure strategies, by name. things: the resource that stands for each, in the same order. payoff: row
    the player's own pure strategy, column the other's. players: the number of players, the agent included. hints: what
    prompts say of rules that players may follow. order: the highest order of such rules that the built-in reasoner
    considers (`opponent_rules`), None for all; it is no fact of the game, and prompts don't show it. others_payoff: the
    payoff of the other player, whose own pure strategies are its rows; None if it is the same. alike: how many others
    there are, if they can't be told apart and count as one opponent; else 0. clues: True if the agent is told what
    others take.
    """

    behaviours: tuple[str, ...]
    things: tuple[str, ...]
    payoff: Table
    initial_inventory: int
    width: int
    height: int
    length: Length
    beam: Beam
    regrowth: Regrowth
    timing: Timing
    players: int = 2
    hints: Hints = Hints.GENERIC
    order: int | None = field(default=None, metadata=UNSHOWN)
    others_payoff: Table | None = None
    alike: int = 0
    clues: bool = True

    @property
    def stage_game(self) -> StageGame:
        return StageGame(self.side, self.order)

    @property
    def side(self) -> Side:
        """The game of one interaction, in which each plays the kind that leads in what it holds."""
        theirs = self.others_payoff or self.payoff
        return Side(self.behaviours, self.behaviours, self.payoff, transposed(theirs))

    @property
    def is_zero_sum(self) -> bool:
        """True if one player's gain is always the other's loss."""
        return self.side.is_zero_sum

    def is_armed(self, inventory: Counts) -> bool:
        """True if something has been collected: nobody can interact before."""
        return max(inventory) > self.initial_inventory

    def steps_between(self, own: Counts) -> float:
        """The expected steps from one interaction to the next if as much is collected for it as `own` holds."""
        return self.timing.steps_with(sum(own) - self.initial_inventory * len(self.things))

    def interactions_left(self, step: int, own: Counts) -> float | None:
        """For how many more interactions there is time; None if the episode's end is left to chance.

        own: an inventory; as much is taken to be collected for each of them.
        """
        if self.length.end is None:
            return None
        return max(0.0, (self.length.end - self.timing.frozen - step) / self.steps_between(own))

    @property
    def count_range(self) -> tuple[int, int]:
        """The smallest and the largest count of a resource that an answer may name."""
        return self.initial_inventory, MOST_HELD

    @property
    def lead_range(self) -> tuple[int, int]:
        """The smallest and the largest count of a resource that leads in its inventory."""
        return self.initial_inventory + 1, MOST_HELD

    def check(self, name: str, inventory: Mapping[str, int], bounds: tuple[int, int]) -> None:
        """Raises ValueError for an unknown kind, and for a count out of these bounds: `count_range` or `lead_range`.

        name: the answer's field, for the error text.
        """
        least, most = bounds
        problems = [
            _refusal("unknown_kind", field=name, given=repr(kind[:20]), known=self.behaviours)
            for kind in inventory
            if kind not in self.behaviours
        ]
        problems += [
            _refusal("out_of_range", field=name, kind=kind, count=count, least=least, most=most)
            for kind, count in inventory.items()
            if kind in self.behaviours and not least <= count <= most
        ]
        if problems:
            raise ValueError("; ".join(problems[:MOST_LISTED]))

    def counts(self, inventory: Mapping[str, int]) -> Counts:
        """An answer's inventory in the order of behaviours; the initial count for each behaviour it omits."""
        return tuple(inventory.get(name, self.initial_inventory) for name in self.behaviours)

    def by_name(self, counts: Counts) -> dict[str, int]:
        """An inventory by behaviour, the form in which answers give it."""
        return dict(zip(self.behaviours, counts, strict=True))


def check_players(name: str, players: Iterable[str], known: Sequence[str]) -> None:
    """Raises ValueError for players who do not exist. name: the answer's field, for the error text."""
    unknown = [repr(player[:20]) for player in players if player not in known]
    if unknown:
        raise ValueError(_refusal("unknown_player", field=name, given=unknown[:MOST_LISTED], known=known))


@dataclass(frozen=True, slots=True)
class LastShown:
    """The last thing that a partner saw the agent collect, in whichever life. before: how many steps ago that was."""

    behaviour: str
    before: int


@dataclass(frozen=True, slots=True)
class MatrixInteraction:
    """One interaction with the partner's inventory inferred.

    behaviour: the pure strategy that the partner played, None if the inference is ambiguous. own_behaviour: the agent's
    own, None if no resource led. shown: the count of each resource that the partner saw the agent collect beforehand.
    is_open: True if the reward leaves open which of the partner's resources led; then `behaviour` is the likeliest,
    None if none is likely enough. taken: the count of each resource that the partner was seen to take beforehand.
    last_shown: what it last saw the agent collect before the hit, be it in an earlier life; None if nothing.
    """

    step: int
    partner: str
    own: Counts
    reward: float
    other: Counts
    behaviour: str | None
    own_behaviour: str | None
    shown: Counts
    is_open: bool = False
    taken: Counts = ()
    last_shown: LastShown | None = None

    def shows(self, prediction: str) -> bool | None:
        """True if the partner played as predicted; None if that is unknown."""
        return None if self.behaviour is None else prediction == self.behaviour


def matrix_interactions(history: Sequence[Interaction]) -> tuple[MatrixInteraction, ...]:
    """The interactions of a matrix game in a history."""
    return tuple(interaction for interaction in history if isinstance(interaction, MatrixInteraction))
