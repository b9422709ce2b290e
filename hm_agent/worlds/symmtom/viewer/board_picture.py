"""The board after a turn as shapes: bases, hearing ranges, where agents went, and who said what to whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, hypot, pi, sin

from hm_agent.recording.shapes import DrawnShape, Point, colour_of, disc, line, polygon, text
from hm_agent.worlds.symmtom.one_game import OneGame
from hm_agent.worlds.symmtom.rules import SILENT
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.views import BoardScene, Cell

BASE_INSET, BASE_ROUNDING = 0.07, 0.12
AGENT_RADIUS = 0.27
LARGE = 8
"""From this board width on, figures are drawn larger and names are left out, since cells are small on a page."""
EDGE = 0.06
"""The width of the edge that sets a text off from figures below it."""
NAME_BELOW, NAME_SIZE = 0.4, 0.15
"""How far below an agent's middle its name stands, and its height: it ends within the cell, so that no edge cuts it."""
LINE_APART = 0.07
"""The distance of the lines of two agents that speak to each other from the line between their middles."""
STAR_POINTS = 8


@dataclass(frozen=True, slots=True)
class SpeechLine:
    """One agent heard another. is_new: True if the piece was new to the listener, None if that is unknown."""

    speaker: int
    listener: int
    is_new: bool | None = None


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """What a picture of the board shows after a turn.

    came_from: the positions before it. said: by agent, None if silent. rewards: by agent, what the turn paid.
    recharged, held: numbers of agents. looked_at: the agent whose hearing range stands out; None for nobody's.
    """

    settings: GameSettings
    bases: tuple[Cell, ...]
    positions: tuple[Cell, ...]
    said: tuple[int | None, ...]
    lines: tuple[SpeechLine, ...]
    came_from: tuple[Cell, ...] = ()
    rewards: tuple[float, ...] = ()
    recharged: tuple[int, ...] = ()
    held: tuple[int, ...] = ()
    looked_at: int | None = None

    @property
    def scale(self) -> float:
        """How much larger figures are than on a small board."""
        return 1.0 if self.settings.width < LARGE else 1.3


def picture_of(
    settings: GameSettings, scene: BoardScene, *, held: tuple[int, ...], looked_at: int | None = None
) -> BoardPicture:
    return BoardPicture(
        settings=settings,
        bases=scene.bases,
        positions=scene.moved_to,
        said=scene.said,
        lines=tuple(
            SpeechLine(speaker, listener, scene.is_new(listener, speaker)) for listener, speaker in scene.heard
        ),
        came_from=scene.positions,
        rewards=tuple(scene.rewards),
        recharged=scene.recharged,
        held=held,
        looked_at=looked_at,
    )


def picture_of_game(game: OneGame) -> BoardPicture:
    """The picture of a game between two steps, without moves and without telling which pieces were new to whom."""
    width = game.settings.width
    lines = [
        SpeechLine(speaker, listener)
        for listener, speakers in enumerate(game.near)
        for speaker in speakers
        if game.said[speaker] != SILENT
    ]
    return BoardPicture(
        settings=game.settings,
        bases=tuple((cell % width, cell // width) for cell in game.bases),
        positions=tuple((cell % width, cell // width) for cell in game.cells),
        said=tuple(None if piece == SILENT else piece for piece in game.said),
        lines=tuple(lines),
    )


def ground(picture: BoardPicture) -> list[DrawnShape]:
    """The shapes that do not change in a game: the cells, and the bases in their agents' colours."""
    width = picture.settings.width
    shapes = [DrawnShape("box", (0.01, 0.01, width - 0.02, width - 0.02, 0.1), stroke="line", width=0.02)]
    for at in range(1, width):
        shapes += [line((at, 0), (at, width), "line", 0.02), line((0, at), (width, at), "line", 0.02)]
    side = 1 - 2 * BASE_INSET
    for agent, (x, y) in enumerate(picture.bases):
        box = (x + BASE_INSET, y + BASE_INSET, side, side, BASE_ROUNDING)
        shapes.append(DrawnShape("box", box, fill=colour_of(agent), opacity=0.2))
        shapes.append(DrawnShape("box", box, stroke=colour_of(agent), width=0.05))
    return shapes


def figures(picture: BoardPicture) -> list[DrawnShape]:
    """The shapes that change in every turn, to be drawn over the ground."""
    agents = range(len(picture.positions))
    shapes = [_hearing_range(picture, agent) for agent in agents]
    for agent in range(len(picture.came_from)):
        shapes += _move_line(picture, agent)
    for speech in picture.lines:
        shapes += _speech_line(picture, speech)
    for agent in agents:
        shapes += _agent(picture, agent)
    for agent in agents:
        shapes += [*_bubble(picture, agent), *_reward_text(picture, agent)]
    return shapes


def _hearing_range(picture: BoardPicture, agent: int) -> DrawnShape:
    """The cells in which an agent hears others: tinted, or outlined if it is the agent looked at."""
    (x, y), reach, width = picture.positions[agent], picture.settings.hearing, picture.settings.width
    left, top = max(0, x - reach) + 0.03, max(0, y - reach) + 0.03
    right, bottom = min(width, x + reach + 1) - 0.03, min(width, y + reach + 1) - 0.03
    box = (left, top, right - left, bottom - top, 0.2)
    if agent == picture.looked_at:
        return DrawnShape("box", box, fill=None, stroke=colour_of(agent), width=0.04, opacity=0.9)
    return DrawnShape("box", box, fill=colour_of(agent), opacity=0.1)


def _move_line(picture: BoardPicture, agent: int) -> Iterator[DrawnShape]:
    """The line of an agent's move in this turn; nothing if it stayed."""
    here, there = _middle(picture.came_from[agent]), _middle(picture.positions[agent])
    if here != there:
        yield line(here, there, colour_of(agent), 0.07, opacity=0.5)
        yield DrawnShape("disc", (*here, 0.09), fill=colour_of(agent), opacity=0.5)


def _speech_line(picture: BoardPicture, speech: SpeechLine) -> Iterator[DrawnShape]:
    """An arrow from the speaker to the listener, faint if the piece was known to be nothing new."""
    (x, y), (far_x, far_y) = _middle(picture.positions[speech.speaker]), _middle(picture.positions[speech.listener])
    length = hypot(far_x - x, far_y - y)
    across, down = (far_x - x) / length, (far_y - y) / length
    x, y = x - down * LINE_APART, y + across * LINE_APART  # each on its own right hand
    reach = length - AGENT_RADIUS * picture.scale - 0.06
    tip = (x + across * reach, y + down * reach)
    neck = (x + across * (reach - 0.14), y + down * (reach - 0.14))
    strong = speech.is_new is not False
    opacity = 1.0 if strong else 0.45
    yield line((x, y), neck, colour_of(speech.speaker), 0.06 if strong else 0.03, opacity)
    sides = [(neck[0] + side * down * 0.09, neck[1] - side * across * 0.09) for side in (1, -1)]
    yield polygon([tip, *sides], colour_of(speech.speaker), opacity)


def _agent(picture: BoardPicture, agent: int) -> Iterator[DrawnShape]:
    """An agent's disc with its number, with a star if it has recharged and in a box if it is held."""
    (x, y), colour = _middle(picture.positions[agent]), colour_of(agent)
    radius = AGENT_RADIUS * picture.scale
    if agent in picture.recharged:
        yield polygon(_star((x, y), radius + 0.2), "glow")
    if agent in picture.held:
        side = 2 * radius + 0.18
        yield DrawnShape("box", (x - side / 2, y - side / 2, side, side, 0.06), fill="page", stroke="muted", width=0.04)
    yield disc((x, y), radius, "page", colour, 0.1)
    yield text((x, y), str(agent), 0.32 * picture.scale)
    if picture.settings.width < LARGE:
        yield text((x, y + NAME_BELOW), picture.settings.seats[agent], NAME_SIZE, over_figures=EDGE)


def _bubble(picture: BoardPicture, agent: int) -> Iterator[DrawnShape]:
    """A bubble with the piece that an agent says; nothing if it is silent."""
    piece = picture.said[agent]
    if piece is None:
        return
    (x, y), words = _middle(picture.positions[agent]), str(piece)
    high = 0.32 * picture.scale
    wide = high + 0.12 * picture.scale * (len(words) - 1)
    left, top = x + 0.13, y - 0.26 - high / 2
    yield DrawnShape("box", (left, top, wide, high, 0.1), fill="page", stroke=colour_of(agent), width=0.04)
    yield text((left + wide / 2, top + high / 2), words, 0.25 * picture.scale)


def _reward_text(picture: BoardPicture, agent: int) -> Iterator[DrawnShape]:
    """The reward that the turn has paid an agent, in the free corner of its cell; nothing if that is zero."""
    paid = picture.rewards[agent] if picture.rewards else 0.0
    if paid:
        x, y = _middle(picture.positions[agent])
        yield text((x - 0.27, y - 0.37), f"{paid:+g}", 0.19 * picture.scale, over_figures=EDGE)


def _star(middle: Point, radius: float) -> Iterator[Point]:
    for corner in range(2 * STAR_POINTS):
        distance = radius if corner % 2 == 0 else 0.75 * radius
        angle = pi * corner / STAR_POINTS
        yield middle[0] + distance * cos(angle), middle[1] + distance * sin(angle)


def _middle(cell: Cell) -> Point:
    return cell[0] + 0.5, cell[1] + 0.5
