"""A planner over K: it simulates each of its moves in the game that it believes to be in, and takes the best.

Unless an agent is held in place, all planners of a game expect each other at a meeting place that follows from public
facts, and on the way to their bases once they know all pieces (the convention). In a simulation all agents keep to the
convention, and the planner departs from it by its next move alone; so it looks `HORIZON` steps ahead at whom it meets,
what it can say, and when it can recharge. If any agent is held, no meeting can be expected, and the planner goes to the
agent that it gains most from.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.knowledge.k_matrix import Knowledge, spoken_order
from hm_agent.worlds.symmtom.policies.policy import Policy, approach, nearest_free, steps_between
from hm_agent.worlds.symmtom.rules import OFFSETS, Bools, Direction, GameState, Ints
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import Sights, sights_of

HORIZON = 6
"""How many steps are simulated from a move on."""
DISCOUNT = 0.8
"""The weight of a reward a step later, since what others will do gets less and less certain."""
PLACES = 8
"""How many meeting places are compared by simulation."""
APPROACHING = 0.4
"""The weight of a listener that is now one cell too far to hear, since it may come nearer in the same step."""

Values = npt.NDArray[np.float64]


class Planner(Policy):
    """Plans over one kind of K."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._place: Ints | None = None
        self.believed: Bools | None = None
        """(R, n, c): K after the latest sight."""

    def act(self, sights: Sights, truth: GameState | None = None) -> tuple[Ints, Ints]:
        self.believed = self._knowledge.update(sights, truth)
        if self._place is None:
            self._place = choose_place(sights)
        usual, _ = follow(sights, self.believed, self._place)
        rows, known = sights.repeated(len(Direction)), np.repeat(self.believed, len(Direction), axis=0)
        moves: Ints = np.tile(np.arange(len(Direction), dtype=np.int32), len(sights.me))
        place = np.repeat(self._place, len(Direction), axis=0)
        said = best_piece(rows, known, moves)
        steps = min(HORIZON, sights.settings.steps - int(sights.step[0]))
        everyones = rehearse(rows, known, place, steps, first=(moves, said))
        values = everyones[rows.rows, rows.me].reshape(-1, len(Direction))
        values[sights.rows, usual] += 1e-6  # ties go to the move of the convention
        chosen = values.argmax(-1).astype(np.int32)
        return chosen, said.reshape(-1, len(Direction))[sights.rows, chosen]


def rehearse(
    sights: Sights,
    known: Bools,
    place: Ints,
    steps: int,
    *,
    first: tuple[Ints, Ints] | None = None,
    discount: float = DISCOUNT,
) -> Values:
    """Simulates games in which all agents keep to the convention; returns all agents' discounted rewards, (R, n).

    known: (R, n, c), the K that is taken for the truth. place: (R, 2), the meeting place. first: the (R,) directions
    and pieces of the rows' own agents in the first step; None for those of the convention.
    """
    settings, n = sights.settings, sights.settings.agents
    state = believed_state(sights, known)
    own_seeds = (sights.seeds[:, None] + np.arange(1, n + 1)).astype(np.uint32)
    places, total = np.repeat(place, n, axis=0), np.zeros((len(sights.me), n))
    held = np.repeat(sights.held, n, axis=0)
    for ahead in range(steps):
        rows = replace(sights_of(settings, state, None, own_seeds), held=held)
        chosen = follow(rows, np.repeat(state.knows, n, axis=0), places)
        directions, pieces = (values.reshape(-1, n) for values in chosen)
        if ahead == 0 and first is not None:
            directions[sights.rows, sights.me], pieces[sights.rows, sights.me] = first
        directions = np.where(sights.held, np.int32(Direction.STAY), directions)
        state, effects = rules.step(settings, state, directions, pieces)
        total += discount**ahead * effects.rewards
    return total


def believed_state(sights: Sights, known: Bools) -> GameState:
    """Returns the games as the agents of the rows believe them to be; K becomes the truth."""
    return GameState(
        seeds=sights.seeds,
        step=sights.step,
        positions=sights.positions,
        bases=sights.bases,
        first_hand=sights.first_hand,
        second_hand=known & ~sights.first_hand,
        recharges=np.zeros(known.shape[:2], np.int32),
        changed=np.zeros_like(known),
    )


# The convention


def follow(sights: Sights, known: Bools, place: Ints) -> tuple[Ints, Ints]:
    """Returns the (R,) directions and pieces of agents that keep to the convention.

    An agent that knows all pieces goes to its base; any other goes to the meeting place or, if any agent is held, to
    the agent that it gains most from.
    """
    anyone_held, is_complete = np.asarray(sights.held.any(-1)), np.asarray(sights.knows.all(-1))
    goal = np.where(anyone_held[:, None], most_gainful(sights, known), cell_at(sights, place))
    directions = approach(sights, np.where(is_complete[:, None], sights.own_base, goal))
    return directions, best_piece(sights, known, directions)


def cell_at(sights: Sights, place: Ints) -> Ints:
    """(R, 2): the cell of the meeting place that each agent goes to, a free one if there is any.

    It has the smallest sum of the distance to the agent and 1.5 times that to its base. place: (R, 2), the upper left
    cell.
    """
    cells = place[:, None] + cells_of_place(sights.settings)
    return nearest_free(sights, cells, 1.5 * steps_between(cells, sights.own_base[:, None]))


def most_gainful(sights: Sights, known: Bools) -> Ints:
    """(R, 2): the position of the agent from which each agent gains most per move, by K, in pieces to hear and to tell.

    Its own position if it can gain nothing from anyone.
    """
    own = sights.knows[:, None]
    others = np.arange(sights.settings.agents) != sights.me[:, None]
    gain = ((known & ~own).sum(-1) + (own & ~known).sum(-1)) * others
    apart = np.abs(sights.positions - sights.here[:, None])
    moves = np.maximum(apart - sights.settings.hearing, 0).sum(-1)
    rate = gain / (moves + gain.clip(1) / 2)
    target = np.where((rate > 0).any(-1), rate.argmax(-1), sights.me)
    goal: Ints = sights.positions[sights.rows, target]
    return goal


def best_piece(sights: Sights, known: Bools, directions: Ints) -> Ints:
    """(R,): the piece that is new to the most listeners after a move, by K; on a tie the first in the own order.

    Others are assumed to stay; one that is a cell too far counts as `APPROACHING`. If no piece is new to anyone by K,
    the agent says all pieces that it knows in turn, since K may be wrong.
    """
    settings = sights.settings
    there = np.clip(sights.here + OFFSETS[directions], 0, settings.width - 1)
    far = np.abs(sights.positions - there[:, None]).max(-1) - settings.hearing
    weight = np.where(far <= 0, 1.0, np.where(far == 1, APPROACHING, 0.0))
    weight[sights.rows, sights.me] = 0.0
    news = (weight[..., None] * ~known).sum(1) * sights.knows
    turns = np.where(news.any(-1), 0, sights.step)[:, None]
    value = news - 1e-3 * ((spoken_order(settings)[sights.me] - turns) % settings.pieces)
    best: Ints = np.where(sights.knows, value, -np.inf).argmax(-1).astype(np.int32)
    return best


# The meeting place


def cells_of_place(settings: GameSettings) -> Ints:
    """(k, 2): the offsets of a meeting place's cells: a square with room for all agents, at least 2x2."""
    side = min(max(2, int(np.ceil(np.sqrt(settings.agents)))), settings.width)
    offsets: Ints = np.stack(np.meshgrid(np.arange(side), np.arange(side)), -1).reshape(-1, 2).astype(np.int32)
    return offsets


def choose_place(sights: Sights) -> Ints:
    """(R, 2): the upper left cell of the meeting place; the same for all agents of a game.

    It follows from bases, positions and public first-hand knowledge alone. Of the `PLACES` places with the most
    recharges per step (`_recharge_rates`), it is the one where all agents together earn most in a simulated episode.
    Without public first-hand knowledge it is the one with the most recharges.
    """
    settings = sights.settings
    side = int(cells_of_place(settings).max()) + 1
    low = np.stack(np.meshgrid(*[np.arange(settings.width - side + 1)] * 2), -1).reshape(-1, 2).astype(np.int32)
    best = np.argsort(-_recharge_rates(settings, sights.bases, low, side), axis=-1, kind="stable")[:, :PLACES]
    if not settings.has_public_first_hand:
        return low[best[:, 0]]
    count = best.shape[1]
    rows = replace(sights.repeated(count), seeds=np.zeros(len(sights.me) * count, np.uint32))
    earned = rehearse(rows, rows.first_hand, low[best].reshape(-1, 2), settings.steps, discount=1.0)
    earned = earned.sum(-1).reshape(-1, count)
    chosen: Ints = low[np.take_along_axis(best, earned.argmax(-1)[:, None], 1)[:, 0]]
    return chosen


def _recharge_rates(settings: GameSettings, bases: Ints, low: Ints, side: int) -> Values:
    """(R, k): all agents' recharges per step by place, if each takes the way to the base and back and some talk."""
    beyond = np.maximum(low[:, None] - bases[:, None], bases[:, None] - (low + side - 1)[:, None])
    ways = np.maximum(beyond, 0).sum(-1)
    talk = 1 + 1.3 * settings.pieces / settings.agents
    rates: Values = (1 / (2 * ways + talk)).sum(-1)
    return rates
