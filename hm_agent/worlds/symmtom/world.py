"""SymmToM as a world of n seats, all of which act at every step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hm_agent.core import LiteralQuestion, Observation, Seat, Turn, World
from hm_agent.models.prompts import phrase
from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.metrics import count_step
from hm_agent.worlds.symmtom.rules import SILENT, Bools, Direction, Effects, GameState, Ints
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.views import BoardScene, BoardView, Cell, HeardPiece, Pieces, SpokenMove

_DIRECTIONS = tuple(Direction)


class SymmtomWorld(World[BoardView, SpokenMove]):
    """One game; seat `player_i` plays agent i. The rules are those of rules.py."""

    def __init__(self, settings: GameSettings) -> None:
        self.settings = settings
        self.seats: Sequence[Seat] = settings.seats
        self._counts: Mapping[str, Ints] = {}
        self._scene: BoardScene | None = None
        self.state: GameState
        """The full state of the game, for viewers, metrics and agents that are told the truth."""
        self._effects: Effects | None

    def reset(self, seed: int) -> Turn[BoardView]:
        self.state, self._effects = self._initial_state(seed), None
        self._counts, self._scene = {}, None
        return self._turn()

    def _initial_state(self, seed: int) -> GameState:
        return rules.reset(self.settings, [seed])

    def step(self, actions: Mapping[Seat, SpokenMove]) -> Turn[BoardView]:
        return self._advance([actions[seat] for seat in self.seats])

    def _advance(self, chosen: Sequence[SpokenMove]) -> Turn[BoardView]:
        """Takes one step with an action of every agent."""
        before = self.state
        for action in chosen:
            self._check(action)
        directions = [[int(action.direction) for action in chosen]]
        pieces = [[int(action.piece) for action in chosen]]
        self.state, self._effects = rules.step(self.settings, before, directions, pieces)
        counts = count_step(self.settings, before, directions, self.state, self._effects)
        self._counts = {name: self._counts.get(name, 0) + count for name, count in counts.items()}
        self._scene = scene_of(before, self.state, self._effects)
        return self._turn()

    def _check(self, action: SpokenMove) -> None:
        """Raises ValueError, with what would be right, for an action that the game does not have."""
        if not isinstance(action, SpokenMove):
            raise ValueError(f"{repr(action)[:60]} is no action: say SpokenMove(Direction.LEFT, piece)")
        direction, piece = action.direction, action.piece
        if direction not in _DIRECTIONS:
            names = ", ".join(known.name for known in _DIRECTIONS)
            raise ValueError(f"there is no direction {repr(direction)[:60]}: Direction has {names}")
        if piece not in range(self.settings.pieces):
            raise ValueError(f"there is no piece {repr(piece)[:60]}: pieces are 0 to {self.settings.pieces - 1}")

    def _turn(self) -> Turn[BoardView]:
        step, paid = int(self.state.step[0]), self._effects.rewards[0].tolist() if self._effects else []
        rewards = dict(zip(self.seats, map(float, paid), strict=False))
        observations = {
            seat: Observation(step, self._view(agent), rewards.get(seat, 0.0)) for agent, seat in enumerate(self.seats)
        }
        return Turn(step, observations, rewards, self._is_over())

    def _view(self, agent: int) -> BoardView:
        return view_of(self.settings, self.state, self._effects, agent)

    def _is_over(self) -> bool:
        return bool(rules.is_over(self.settings, self.state)[0])

    def scene(self) -> BoardScene | None:
        return self._scene

    def literal_questions(self, seat: Seat) -> Sequence[LiteralQuestion]:
        """Asks for each piece whether each other agent knows it; what is public at first hand is left out."""
        view = self._view(self.seats.index(seat))
        return [
            LiteralQuestion(knows_now(other, piece), ("yes", "no"), "yes" if knows[piece] else "no")
            for other, knows, own in zip(self.settings.seats, self.state.knows[0], view.first_hand, strict=True)
            for piece in range(self.settings.pieces)
            if other != seat and piece not in (own or ())
        ]

    def seat_metrics(self, seat: Seat) -> Mapping[str, float]:
        agent = self.seats.index(seat)
        return {name: float(count[0, agent]) for name, count in self._counts.items()}


def knows_now(player: Seat, piece: int) -> str:
    """The question whether an agent knows a piece, in words."""
    return phrase("symmtom/blocks.j2", "knows_now", player=player, piece=piece)


def view_of(settings: GameSettings, state: GameState, effects: Effects | None, agent: int) -> BoardView:
    """Returns one agent's view of the first game of a batch. effects: of the latest step; None before the first."""
    knows, said = pieces_of(state.knows[0, agent]), effects.said[0].tolist() if effects else []
    first_hand = tuple(map(pieces_of, state.first_hand[0]))
    is_told = [settings.has_public_first_hand or other == agent for other in range(settings.agents)]
    heard = np.flatnonzero(effects.heard_from[0, agent]).tolist() if effects else []
    return BoardView(
        settings=settings,
        agent=agent,
        positions=cells_of(state.positions[0]),
        bases=cells_of(state.bases[0]),
        first_hand=tuple(known if seen else None for known, seen in zip(first_hand, is_told, strict=True)),
        knows=knows,
        said=_piece_or_none(said[agent]) if said else None,
        heard=tuple(HeardPiece(speaker, said[speaker]) for speaker in heard),
    )


def scene_of(before: GameState, after: GameState, effects: Effects) -> BoardScene:
    """Returns a step of the first game of a batch, as viewers see it."""
    return BoardScene(
        positions=cells_of(before.positions[0]),
        bases=cells_of(before.bases[0]),
        first_hand=tuple(map(pieces_of, before.first_hand[0])),
        knows=tuple(map(pieces_of, before.knows[0])),
        moved_to=cells_of(after.positions[0]),
        said=tuple(map(_piece_or_none, effects.said[0].tolist())),
        heard=tuple((int(listener), int(speaker)) for listener, speaker in np.argwhere(effects.heard_from[0])),
        recharged=pieces_of(effects.recharged[0]),
        rewards=tuple(effects.rewards[0].tolist()),
    )


def pieces_of(known: Bools) -> Pieces:
    """The indices of the True entries."""
    return tuple(np.flatnonzero(known).tolist())


def cells_of(positions: Ints) -> tuple[Cell, ...]:
    """The rows (x, y) as tuples."""
    return tuple((x, y) for x, y in positions.tolist())


def _piece_or_none(piece: int) -> int | None:
    return None if piece == SILENT else piece
