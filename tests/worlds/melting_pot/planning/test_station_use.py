"""How planning uses stations: it looks at a pot before it uses it, and waits for what suits the hands."""

from __future__ import annotations

import pytest

from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.game import CookingGame
from hm_agent.worlds.melting_pot.grid import NOWHERE, Cell, Facing, Move, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.action_planner import ActionPlanner
from hm_agent.worlds.melting_pot.planning.calls import Call, Interact, MoveTo, Wait
from hm_agent.worlds.melting_pot.planning.move_inputs import MoveInputs
from hm_agent.worlds.melting_pot.planning.station_use import WAIT_STEPS
from hm_agent.worlds.melting_pot.scenarios import game_named
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of

FACTS = game_named("cooking_asymmetric", KitchenFacts)
VISION = vision_of(FACTS.short_name, 0)
POT: Cell = (4, 2)
FAR, BESIDE = Pose(1, 2, Facing.EAST), Pose(3, 2, Facing.EAST)


class Cook:
    """A cook on the left that follows a plan."""

    def __init__(self, *plan: Call) -> None:
        self.game = CookingGame(FACTS, VISION)
        self.planner = ActionPlanner(
            VISION.layout, FACTS.beam, VISION.window, self.game.ready_mark, self.game.why_useless
        )
        self.planner.follow(plan)
        self._memory = EntityMemory(VISION.layout, PlayerBeliefMap(VISION.layout, (), 0))

    def move(
        self, kind: str | None, mark: str | None = None, *, hands: str | None, pose: Pose = FAR, step: int = 0
    ) -> Move | None:
        """The next move if the pot is seen as this kind, with this mark. kind: None if it is out of view."""
        pots = (Detection(kind, (1, 0), POT, mark=mark),) if kind else ()
        view = TextualMap(pose, True, hands, pots, NOWHERE, 0)
        return self.planner.next_move(MoveInputs(step, view, self._memory))


@pytest.mark.parametrize(
    ("kind", "mark", "hands", "why"),
    [
        ("pot_3", "40%", "tomato", "the pot is full"),
        ("pot_3", "cooked", "tomato", "the pot is full"),
        ("pot_3", "10%", "dish", "its soup is not cooked yet"),
        ("pot_0", None, "dish", "the pot is not full, so no soup cooks in it: 0 tomatoes"),
        ("pot_1", None, "dish", "the pot is not full, so no soup cooks in it: 1 tomato"),
        ("pot_2", None, "soup", "a pot takes no soup back"),
    ],
)
def test_use_fails_as_soon_as_the_pot_is_seen_not_to_suit(kind: str, mark: str | None, hands: str, why: str) -> None:
    cook = Cook(Interact(POT), MoveTo((1, 1)))
    assert cook.move(kind, mark, hands=hands) is None
    assert cook.planner.failed == Interact(POT)
    assert cook.planner.why_over == f"interact((4, 2)) has failed: {why}"


def test_cook_walks_to_a_pot_that_suits_on_arrival_or_is_not_seen() -> None:
    for kind, mark, hands in (("pot_2", None, "tomato"), ("pot_3", "cooked", "dish"), ("pot_3", "90%", "dish")):
        assert Cook(Interact(POT)).move(kind, mark, hands=hands) is Move.FORWARD
    assert Cook(Interact(POT)).move(None, hands="dish") is Move.FORWARD


@pytest.mark.parametrize(
    ("hands", "kind", "mark", "is_over"),
    [
        ("tomato", "pot_3", "40%", False),
        ("tomato", "pot_3", "cooked", False),
        ("tomato", "pot_2", None, True),
        ("dish", "pot_0", None, False),
        ("dish", "pot_3", "90%", False),
        ("dish", "pot_3", "cooked", True),
        (None, "pot_3", "90%", False),
        (None, "pot_3", "cooked", True),
    ],
)
def test_wait_is_over_when_the_pot_suits_the_hands(
    hands: str | None, kind: str, mark: str | None, is_over: bool
) -> None:
    assert Cook(Wait(POT)).move(kind, mark, hands=hands, pose=BESIDE) is (None if is_over else Move.NOOP)


def test_wait_for_room_is_given_up_after_its_time_limit() -> None:
    cook = Cook(Wait(POT))
    assert cook.move("pot_3", "cooked", hands="tomato", pose=BESIDE, step=0) is Move.NOOP
    assert cook.move("pot_3", "cooked", hands="tomato", pose=BESIDE, step=WAIT_STEPS) is None
