"""The most that all agents together can earn on a board, by dynamic programming over positions and knowledge.

`best_total` is exact: the reward of the best joint play of agents who are told everything and agree on every move.
`relaxed_total` is never below it and needs far fewer states: of each agent's knowledge it keeps the number of pieces
that it lacks, and every speaker tells each listener a piece that this one lacks, whether the speaker knows it or not.

Positions are all tuples of one cell for each agent, and no two agents are in one cell. Cancelled moves are left out,
since every position that they lead to can be reached by other moves without chance. Games must be cooperative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.symmtom.rules import SILENT, GameState
from hm_agent.worlds.symmtom.settings import GameSettings

Numbers = npt.NDArray[np.int16]
MOST_STATES = 100_000_000
"""The largest number of states; each takes two bytes in about five arrays."""
IMPOSSIBLE = -20_000
"""The value of positions with two agents in one cell, which are never the best."""

Near = tuple[tuple[int, ...], ...]
"""By agent, the agents in its hearing range."""
Choice = tuple[int, int]
"""What a turn pays all agents together, and the state of knowledge after it."""
Choices = Callable[[int, Near, Sequence[bool]], set[Choice]]
"""(state of knowledge, who is near whom, who is on its base) → the choices that a turn offers."""


@dataclass(frozen=True)
class _KnowledgeModel:
    """The states of the agents' joint knowledge, as numbers. states: how many. first: that at the beginning."""

    states: int
    first: int
    choices: Choices


def best_total(settings: GameSettings, board: GameState) -> int:
    """The sum of all agents' rewards in the best joint play from the first game of `board` to the end."""
    return _solve(settings, board, _exact_model(settings, board))


def relaxed_total(settings: GameSettings, board: GameState) -> int:
    """An upper bound of `best_total`."""
    return _solve(settings, board, _counting_model(settings, board))


def _exact_model(settings: GameSettings, board: GameState) -> _KnowledgeModel:
    """Models knowledge exactly: a state is the set of pieces that each agent knows."""
    agents, pieces = range(settings.agents), range(settings.pieces)
    first_hand = [sum(1 << piece for piece in pieces if known[piece]) for known in board.first_hand[0]]
    everything = (1 << settings.pieces) - 1
    sets = [[known for known in range(everything + 1) if known & own == own] for own in first_hand]
    joint = list(product(*sets))
    number = {known: place for place, known in enumerate(joint)}

    def choices(state: int, near: Near, on_base: Sequence[bool]) -> set[Choice]:
        knows = joint[state]
        recharged = [on_base[agent] and knows[agent] == everything for agent in agents]
        outcomes = set()
        for said in product(
            *(_utterances(known, settings.pieces) if near[a] else [SILENT] for a, known in enumerate(knows))
        ):
            total, after = sum(recharged) * settings.recharge_reward, list(knows)
            for listener in agents:
                new = [s for other in near[listener] if (s := said[other]) != SILENT and not knows[listener] >> s & 1]
                total += len(new) + len(set(new))
                after[listener] |= sum(1 << piece for piece in set(new))
            after = [first_hand[a] if recharged[a] else known for a, known in enumerate(after)]
            outcomes.add((total, number[tuple(after)]))
        return outcomes

    return _KnowledgeModel(len(joint), number[tuple(first_hand)], choices)


def _utterances(known: int, pieces: int) -> list[int]:
    """What an agent that knows a set of pieces utters by saying each piece: SILENT for those that it lacks."""
    return [piece if known >> piece & 1 else SILENT for piece in range(pieces)]


def _counting_model(settings: GameSettings, board: GameState) -> _KnowledgeModel:
    """Models knowledge as the number of pieces that each agent lacks; each agent in range can always tell it one."""
    lacking = [int(count) for count in settings.pieces - board.first_hand[0].sum(-1)]
    joint = list(product(*(range(count + 1) for count in lacking)))
    number = {counts: place for place, counts in enumerate(joint)}

    def choices(state: int, near: Near, on_base: Sequence[bool]) -> set[Choice]:
        by_agent: list[list[Choice]] = []
        for agent, lacks in enumerate(joint[state]):
            if lacks == 0:
                by_agent.append([(settings.recharge_reward, lacking[agent]) if on_base[agent] else (0, 0)])
            else:
                heard = range(1, min(lacks, len(near[agent])) + 1)
                by_agent.append([(0, lacks), *((learnt + len(near[agent]), lacks - learnt) for learnt in heard)])
        return {
            (sum(pay for pay, _ in combination), number[tuple(left for _, left in combination)])
            for combination in product(*by_agent)
        }

    return _KnowledgeModel(len(joint), number[tuple(lacking)], choices)


def _solve(settings: GameSettings, board: GameState, model: _KnowledgeModel) -> int:
    """The most that all agents together can earn from the first game of `board` on, by backward induction."""
    cells, n = settings.width**2, settings.agents
    if settings.is_competitive or cells**n * model.states > MOST_STATES:
        raise ValueError(f"{settings.name} is competitive, or has too many states: more than {MOST_STATES:,}")
    groups, blocked = _group_positions(settings, board)
    turns = [(places, _tabulate_choices(model, near, on_base)) for places, near, on_base in groups]
    value: Numbers = np.zeros((cells**n, model.states), np.int16)
    for _ in range(settings.steps - int(board.step[0])):
        after = np.full_like(value, IMPOSSIBLE)
        for places, tables in turns:
            after[places] = _after_speech(value[places], tables)
        after[blocked] = IMPOSSIBLE
        value = _after_moves(after, settings.width, n)
    here = [int(y) * settings.width + int(x) for x, y in board.positions[0]]
    return int(value[np.ravel_multi_index(here, (cells,) * n), model.first])


SeatSituation = tuple[npt.NDArray[np.intp], Near, tuple[bool, ...]]
"""Joint positions, with who is near whom and who is on its base in all of them."""


def _group_positions(settings: GameSettings, board: GameState) -> tuple[list[SeatSituation], npt.NDArray[np.intp]]:
    """Groups joint positions by who is near whom and who is on its base; also returns those with two in one cell."""
    cells, n = settings.width**2, settings.agents
    positions = np.stack(np.unravel_index(np.arange(cells**n), (cells,) * n), -1).astype(np.int32)
    x, y = positions % settings.width, positions // settings.width
    bases = [int(down) * settings.width + int(across) for across, down in board.bases[0]]
    pairs = [(agent, other) for agent in range(n) for other in range(agent + 1, n)]
    reach = settings.hearing
    bits = [positions[:, agent] == bases[agent] for agent in range(n)]
    bits += [(abs(x[:, a] - x[:, b]) <= reach) & (abs(y[:, a] - y[:, b]) <= reach) for a, b in pairs]
    code = np.zeros(cells**n, np.int32)
    for place, bit in enumerate(bits):
        code |= bit.astype(np.int32) << place
    blocked = np.flatnonzero(np.any([positions[:, a] == positions[:, b] for a, b in pairs], axis=0))
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    groups = []
    for places in np.split(order, starts[1:]):
        shared_code = int(code[places[0]])
        near_pairs = [pair for place, pair in enumerate(pairs) if shared_code >> (n + place) & 1]
        near = tuple(tuple(b if a == agent else a for a, b in near_pairs if agent in (a, b)) for agent in range(n))
        groups.append((places, near, tuple(bool(shared_code >> agent & 1) for agent in range(n))))
    return groups, blocked


Tables = list[tuple[Numbers, npt.NDArray[np.intp]]]
"""For each choice: the rewards that it pays and the states that it leads to, by state of knowledge."""


def _tabulate_choices(model: _KnowledgeModel, near: Near, on_base: tuple[bool, ...]) -> Tables:
    """Tabulates the choices of every state of knowledge; states with fewer choices than others repeat theirs."""
    choices = [sorted(model.choices(state, near, on_base)) for state in range(model.states)]
    most = max(map(len, choices))
    rows = [[options[place % len(options)] for options in choices] for place in range(most)]
    return [(np.array([pay for pay, _ in row], np.int16), np.array([to for _, to in row])) for row in rows]


def _after_speech(value: Numbers, tables: Tables) -> Numbers:
    """(P, S): the value of the best choice at each position and state of knowledge. value: (P, S), after the choice."""
    pays, leads_to = tables[0]
    best: Numbers = value[:, leads_to] + pays
    for pays, leads_to in tables[1:]:
        np.maximum(best, value[:, leads_to] + pays, out=best)
    return best


def _after_moves(value: Numbers, width: int, agents: int) -> Numbers:
    """For every joint position, the largest value that one move of each agent leads to."""
    shape = value.shape
    for agent in range(agents):
        cells = value.reshape(width ** (2 * agent), width, width, -1)
        best = cells.copy()
        np.maximum(best[:, 1:], cells[:, :-1], out=best[:, 1:])
        np.maximum(best[:, :-1], cells[:, 1:], out=best[:, :-1])
        np.maximum(best[:, :, 1:], cells[:, :, :-1], out=best[:, :, 1:])
        np.maximum(best[:, :, :-1], cells[:, :, 1:], out=best[:, :, :-1])
        value = best.reshape(shape)
    return value
