"""What models read in games that build upon the open kind, as golden files.

After an intended change: `REWRITE_GOLDEN=1 pytest` on this file, then read the diff.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from hm_agent.core import Hypothesis
from hm_agent.models.prompts import render
from hm_agent.questions import Question
from hm_agent.theory_of_mind.decision_questions import Plan
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.mind_questions import Predict, Revise
from hm_agent.worlds.melting_pot.games.agenda.agenda_facts import AgendaFacts
from hm_agent.worlds.melting_pot.games.agenda.agenda_play import IMPOSTOR, SILENT
from hm_agent.worlds.melting_pot.games.agenda.agenda_seat import AgendaSeat
from hm_agent.worlds.melting_pot.games.agenda.evidence import ABSTAINS, ELSEWHERE, NEAR_FROZEN, VOTES, Suspicion
from hm_agent.worlds.melting_pot.games.coins.coins_facts import CoinsFacts
from hm_agent.worlds.melting_pot.games.coins.coins_seat import CoinsSeat
from hm_agent.worlds.melting_pot.games.coins.takes import SPARES_YOURS, TAKES_BOTH, TAKES_YOURS, CoinConduct, Take
from hm_agent.worlds.melting_pot.games.coins.taking_rules import COPIES
from hm_agent.worlds.melting_pot.games.commons.commons_conduct import OWN, CommonsConduct, takes_last
from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts
from hm_agent.worlds.melting_pot.games.commons.commons_seat import CommonsSeat, RiverSeen
from hm_agent.worlds.melting_pot.games.commons.rules import REGROWTH_RULES, RIVER_RULES
from hm_agent.worlds.melting_pot.games.daycare.care import ATTENDS, POINTS
from hm_agent.worlds.melting_pot.games.daycare.daycare_facts import CHILD, PARENT, DaycareFacts
from hm_agent.worlds.melting_pot.games.daycare.daycare_seat import DaycareSeat
from hm_agent.worlds.melting_pot.games.daycare.hands import GIVES_BANANA, OF_CHILDREN, OF_PARENTS, ONE, FruitKnown
from hm_agent.worlds.melting_pot.games.open.conduct import STAYS, WALKS, Conduct, takes, uses
from hm_agent.worlds.melting_pot.games.open.deeds import Deed
from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.grid import Layout, Pose
from hm_agent.worlds.melting_pot.memory.entities import PlayerSighting
from hm_agent.worlds.melting_pot.memory.view_times import ViewTimes
from hm_agent.worlds.melting_pot.scenarios import game_named
from tests.prompt_checks import STRAY_WHITESPACE, fields_asked_for, is_golden

GOLDEN = Path(__file__).parent / "golden_open"
LAYOUT = Layout(9, 9, frozenset({(4, 4)}))
SEAT = OpenSeat(
    facts=game_named("externality_mushrooms_dense", SubstrateFacts),
    own_name="player_0",
    actions=("fire_zap",),
    step=103,
    pose=Pose(2, 3, 1),
    is_own_map=False,
    told=(("ready to shoot", "1"),),
    own=(),
    deeds=(Deed("collect(red mushroom)", 4, 4.0), Deed("use(fire_zap)", 1, 0.0)),
    earned=5.5,
    behaviours=(STAYS, WALKS, takes("red mushroom")),
    layout=LAYOUT,
    seen={(5, 3): ("red mushroom", 103), (1, 1): ("green mushroom", 90), (6, 3): ("red mushroom", 99)},
    sighted={"player_2": PlayerSighting((4, 2), 2, None, 103), "player_3": PlayerSighting((8, 8), 0, "level 1", 80)},
    looked_at=ViewTimes(LAYOUT),
    blocking=frozenset(),
)
SeatT = TypeVar("SeatT", bound=OpenSeat)


def seated(kind: type[SeatT], facts: SubstrateFacts, **known: Any) -> SeatT:
    """A seat of a kind of games: like SEAT, but for its facts and what else is known."""
    shared = {each.name: getattr(SEAT, each.name) for each in fields(SEAT)}
    return kind(**{**shared, "facts": facts, "told": (), "deeds": (), **known})


RIVER = seated(
    CommonsSeat,
    game_named("clean_up", CommonsFacts),
    actions=("fire_zap", "fire_clean"),
    behaviours=(STAYS, WALKS, takes("apple"), uses("beam clean")),
    seen={(5, 3): ("apple", 103), (1, 1): ("dirt", 90)},
    cleaned=(("player_2", 90), (OWN, 70)),
    river=RiverSeen(30, 90, 85),
)
ORCHARD = seated(
    CommonsSeat,
    game_named("commons_harvest_open", CommonsFacts),
    behaviours=(STAYS, WALKS, takes("apple"), takes_last("apple")),
    seen={(5, 3): ("apple", 103)},
    spoiled=(("player_2", 95),),
)
OF_PARENT = seated(
    DaycareSeat,
    game_named("daycare", DaycareFacts),
    own_name=PARENT,
    actions=("grasp", "eat"),
    behaviours=OF_CHILDREN,
    seen={(5, 3): ("apple in tree", 103)},
    sighted={CHILD: PlayerSighting((4, 2), 2, None, 103)},
    is_child=False,
    held="apple",
    grown=(5, 5),
    other_held=None,
    other_hand=None,
    fruit=(FruitKnown((5, 3), other=3, when=101), FruitKnown((5, 5), other=1, when=60, given=2, given_at=80, eaten=2)),
    child_ate=81,
    given_at=80,
)
OF_CHILD = replace(
    OF_PARENT,
    own_name=CHILD,
    behaviours=OF_PARENTS,
    seen={(5, 3): ("banana in shrub", 103)},
    sighted={PARENT: PlayerSighting((4, 2), 2, None, 103)},
    is_child=True,
    held=None,
    grown=None,
    other_held="banana",
    fruit=(FruitKnown((5, 3), own=3), FruitKnown((5, 5), is_own_reach=True, given=1, given_at=80)),
)
CREW = seated(
    AgendaSeat,
    game_named("hidden_agenda", AgendaFacts),
    actions=("tag", *(f"vote_{number}" for number in range(1, 7))),
    behaviours=(STAYS, WALKS, takes("gem"), NEAR_FROZEN, ELSEWHERE, VOTES, ABSTAINS),
    seen={(5, 3): ("gem", 103)},
    is_impostor=False,
    carries=False,
    is_ready=False,
    is_voting=True,
    is_out=False,
    votes={"player_2": None, "player_3": "player_2", "player_4": None},
    suspicions=(Suspicion("player_2", near=1), Suspicion("player_3"), Suspicion("player_4", elsewhere=2)),
)
COINS = seated(
    CoinsSeat,
    game_named("coins", CoinsFacts),
    actions=(),
    layout=Layout(101, 101, frozenset()),
    looked_at=ViewTimes(Layout(101, 101, frozenset())),
    pose=Pose(47, 44, 1),
    is_own_map=True,
    deeds=(Deed("collect(coin red)", 3, 3.0), Deed("collect(coin blue)", 1, 1.0)),
    behaviours=(SPARES_YOURS, TAKES_BOTH),
    seen={(49, 44): ("coin red", 103), (45, 41): ("coin blue", 95)},
    sighted={"player_1": PlayerSighting((44, 42), 2, None, 103)},
    other="player_1",
    own_coin="coin red",
    other_coin="coin blue",
    takes=(
        *(Take(step, "player_0", "player_0") for step in (20, 41, 60)),
        Take(70, "player_1", "player_1"),
        Take(84, "player_0", "player_1"),
        Take(97, "player_1", "player_0"),
    ),
)


def planned(seat: OpenSeat, strategy: str, player: str, rule: str, expected: str, *history: Conduct) -> Plan:
    return Plan(seat, strategy, (PlayerBelief(player, rule, expected),), history, (), because="it is over")


def predicted(seat: OpenSeat, player: str, rule: str, expected: str, *history: Conduct) -> Predict:
    return Predict(seat, player, history, (Hypothesis(rule, 0.5, expected, right=2, tested=3),))


def conduct(behaviour: str, player: str = "player_2") -> Conduct:
    return Conduct(100, player, behaviour, ((behaviour, 3),), 20, (4, 2), 1.5)


CLEANED = CommonsConduct(100, "player_2", uses("beam clean"), ((uses("beam clean"), 3),), 20, (4, 2), 1.5, True)
STRIPPED = CommonsConduct(100, "player_2", takes_last("apple"), ((takes_last("apple"), 1),), 20, (4, 2), 1.5, False)
TAKEN = CoinConduct(97, "player_1", TAKES_YOURS, (), 1, (44, 42), -1.0, provoked=1)
MUSHROOM, REDS = takes("red mushroom"), "It takes red mushrooms wherever they are."
EXAMPLES: Mapping[str, Question[Any]] = {
    "plan": planned(SEAT, "Eat red mushrooms.", "player_2", REDS, MUSHROOM),
    "predict": predicted(SEAT, "player_2", REDS, MUSHROOM, conduct(MUSHROOM)),
    "revise_at_first": Revise(replace(SEAT, pose=None, seen={}, sighted={}, deeds=()), None, (), (), ()),
    "plan_at_a_river": planned(
        RIVER, "Eat while others clean.", "player_2", RIVER_RULES["cleans"].words, uses("beam clean"), CLEANED
    ),
    "predict_in_an_orchard": predicted(
        ORCHARD, "player_2", REGROWTH_RULES["strips"].words, takes_last("apple"), STRIPPED
    ),
    "plan_of_a_parent": planned(OF_PARENT, "Bring what it wants.", CHILD, POINTS, ONE, conduct(ONE, CHILD)),
    "predict_by_a_child": predicted(OF_CHILD, PARENT, ATTENDS, GIVES_BANANA, conduct(GIVES_BANANA, PARENT)),
    "plan_in_a_vote": planned(CREW, "Vote for it.", "player_2", IMPOSTOR, NEAR_FROZEN, conduct(NEAR_FROZEN)),
    "predict_by_an_impostor": predicted(
        replace(CREW, is_impostor=True, is_ready=True, is_voting=False), "player_2", SILENT, ABSTAINS, conduct(ABSTAINS)
    ),
    "plan_among_coins": planned(COINS, "Take your own coins.", "player_1", COPIES.words, TAKES_BOTH, TAKEN),
    "predict_among_coins": predicted(COINS, "player_1", COPIES.words, TAKES_BOTH, TAKEN),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_models_read_what_is_known_in_few_words(name: str) -> None:
    prompt = render(EXAMPLES[name])
    assert is_golden(prompt, GOLDEN / f"{name}.txt")
    assert not STRAY_WHITESPACE.search(prompt)
    assert fields_asked_for(prompt) == list(EXAMPLES[name].schema.model_fields)


def test_every_golden_file_belongs_to_an_example() -> None:
    assert {path.stem for path in GOLDEN.glob("*")} == set(EXAMPLES)
