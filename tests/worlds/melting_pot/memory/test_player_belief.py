from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hm_agent.worlds.melting_pot.grid import NOWHERE, Cell, Facing, Layout, Pose, distance
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.player_belief import (
    MIN_SEPARATION,
    STEP_PROBABILITY,
    PlayerBeliefMap,
    place_to_search,
)
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap

ROOM = Layout.from_ascii("""
WWWWWWWWWWW
W         W
W  WWWW   W
W  W      W
W  W      W
WWWWWWWWWWW
""")
HERE = Pose(1, 1, Facing.NORTH)
AWAY = TextualMap(None, False, None, (), NOWHERE, 0)


def empty(*in_view: Cell) -> TextualMap:
    return TextualMap(HERE, True, None, (), ROOM.area(in_view), 0)


def showing(cell: Cell, player: str = "opponent") -> TextualMap:
    sight = Detection(player, (0, 0), cell, Facing.NORTH, None, is_player=True)
    return TextualMap(HERE, True, None, (sight,), ROOM.area([cell]), 0)


VIEWS = st.lists(
    st.one_of(
        st.just(AWAY),
        st.builds(showing, st.sampled_from(ROOM.open_cells)),
        st.lists(st.sampled_from(ROOM.open_cells)).map(lambda cells: empty(*cells)),
    ),
    max_size=30,
)


def after(*views: TextualMap) -> PlayerBeliefMap:
    belief_map = PlayerBeliefMap(ROOM, ("opponent",), 2)
    for view in views:
        belief_map.update(view)
    return belief_map


def test_sighting_makes_the_belief_about_that_player_certain() -> None:
    assert after(showing((5, 3))).of("opponent")[3, 5] == 1.0
    assert after(showing((5, 3), player="somebody else")).of("opponent")[3, 5] == 0.0


def test_belief_spreads_by_one_step_to_open_neighbours() -> None:
    belief = after(showing((4, 3)), empty()).of("opponent")  # (4, 2) and (3, 3) are walls
    reached = {(int(x), int(y)) for y, x in zip(*belief.nonzero(), strict=True)}
    assert reached == {(4, 3), (5, 3), (4, 4)}


def test_empty_cell_in_view_is_ruled_out() -> None:
    belief = after(showing((4, 3)), empty((5, 3))).of("opponent")
    assert belief[3, 5] == 0.0
    assert belief[4, 4] > 0.0


def test_belief_starts_over_when_the_agent_is_removed_or_every_possible_cell_is_ruled_out() -> None:
    for lost in (AWAY, empty((4, 3), (5, 3), (4, 4))):
        assert (after(showing((4, 3)), lost).of("opponent") == after().of("opponent")).all()


def test_likely_places_lie_apart_and_the_likeliest_comes_first() -> None:
    places = after(showing((9, 4)), empty(), empty()).likely_places()
    assert all(distance(a, b) >= MIN_SEPARATION for (a, _), (b, _) in combinations(places, 2))
    assert [odds for _, odds in places] == sorted((odds for _, odds in places), reverse=True)
    assert places[0][1] > 0.9


def test_a_near_place_is_searched_unless_a_far_one_is_much_likelier() -> None:
    assert place_to_search([((9, 1), 0.4), ((2, 1), 0.4)], (1, 1)) == (2, 1)
    assert place_to_search([((9, 1), 0.9), ((2, 1), 0.1)], (1, 1)) == (9, 1)


BOTH = (*showing((4, 3), "first").detections, *showing((9, 1), "second").detections)
MANY_VIEWS = st.lists(
    st.one_of(
        st.just(AWAY),
        st.just(empty((1, 1), (2, 1))),
        st.builds(showing, st.sampled_from(ROOM.open_cells), st.sampled_from(["first", "second"])),
        st.just(TextualMap(HERE, True, None, BOTH, NOWHERE, 0)),
    ),
    max_size=20,
)


@example([showing((4, 3), "first"), empty((1, 1)), empty((1, 1))], {0, 1}, 2, 0.0)
@given(MANY_VIEWS, st.sets(st.integers(0, 19)), st.integers(0, 19), st.sampled_from([0.0, 0.1]))
def test_asking_for_beliefs_in_between_changes_none(
    views: list[TextualMap], read_after: set[int], sites_before: int, relocation: float
) -> None:
    """Beliefs that are read after some views equal, to the bit, those that are read only at the end.

    read_after: the numbers of these views. sites_before: the number of the view before which sites become known.
    """
    both = [PlayerBeliefMap(ROOM, ("first", "second"), 2, 4.0, 3.0, relocation) for _ in range(2)]
    for number, view in enumerate(views):
        for belief_map in both:
            if number == sites_before:
                belief_map.set_sites({(1, 4): "rock", (9, 1): "paper"}, "paper")
            belief_map.update(view)
        if number in read_after:
            both[0].likely_places()
    assert (both[0].beliefs == both[1].beliefs).all()


def test_likely_places_are_those_of_the_players_asked_for() -> None:
    belief_map = PlayerBeliefMap(ROOM, ("first", "second"), 1)
    belief_map.update(showing((1, 4), "first"))
    belief_map.update(showing((9, 1), "second"))
    assert belief_map.likely_places(["first"])[0][0][0] < 4
    assert belief_map.likely_places(["second"])[0][0][0] > 7
    assert sum(odds for _, odds in belief_map.likely_places()[:2]) > 1.5


def near_sites(
    sites: list[Cell], *views: TextualMap, relocation: float = 0.0, expected_kind: str | None = None
) -> PlayerBeliefMap:
    """The belief after some views, about a player who is four times as likely on these sites, all with rock.

    expected_kind: the kind that it is expected to collect; there it is twice as likely again.
    """
    belief_map = PlayerBeliefMap(ROOM, ("opponent",), 2, site_ratio=4.0, expected_ratio=2.0, relocation=relocation)
    belief_map.set_sites(dict.fromkeys(sites, "rock"), expected_kind)
    for view in views:
        belief_map.update(view)
    return belief_map


@given(
    VIEWS, st.sampled_from([[], [(1, 4), (2, 4), (9, 1)]]), st.sampled_from([0.0, 0.1]), st.sampled_from([None, "rock"])
)
def test_belief_sums_to_one_outside_walls(
    views: list[TextualMap], sites: list[Cell], relocation: float, expected_kind: str | None
) -> None:
    belief = near_sites(sites, *views, relocation=relocation, expected_kind=expected_kind).of("opponent")
    assert belief.sum() == pytest.approx(1.0)
    assert belief.min() >= 0.0
    assert [belief[y, x] for x, y in ROOM.walls] == [0.0] * len(ROOM.walls)


def test_a_player_is_likelier_where_the_kind_lies_that_it_is_expected_to_collect() -> None:
    sites: dict[Cell, str] = {(1, 4): "rock", (2, 4): "rock", (9, 1): "paper"}
    belief_map = PlayerBeliefMap(ROOM, ("opponent",), 2, site_ratio=4.0, expected_ratio=2.0)
    for kind, ratios in ((None, (4.0, 4.0)), ("rock", (8.0, 4.0)), ("paper", (4.0, 8.0))):
        belief_map.set_sites(sites, kind)
        for _ in range(3000):
            belief_map.update(empty())
        belief = belief_map.of("opponent")
        assert (belief[4, 1] / belief[4, 9], belief[1, 9] / belief[4, 9]) == pytest.approx(ratios, rel=0.01)


def test_relocated_player_is_where_players_are_in_the_long_run() -> None:
    """One step after a sighting, cells that no single step reaches share the relocation by the site ratio."""
    belief = near_sites([(1, 4), (2, 4)], showing((9, 1)), empty(), relocation=0.1).of("opponent")
    weights = len(ROOM.open_cells) + 2 * 3
    assert belief[1, 5] == pytest.approx(0.1 / weights)
    assert belief[4, 1] == pytest.approx(0.1 * 4 / weights)
    assert belief[1, 9] == pytest.approx(0.9 * (1 - 2 * STEP_PROBABILITY) + 0.1 / weights)


def test_search_moves_on_from_where_a_player_was_lost_once_that_was_seen_empty() -> None:
    """Where the last sighting has been looked at in vain, the likeliest place is by the sites, far from there."""
    looked_at = [(x, y) for x in range(8, 10) for y in range(1, 5)]
    views = showing((9, 1)), *[empty()] * 10, empty(*looked_at)
    (place, chance), *_ = near_sites([(1, 3), (1, 4), (2, 3), (2, 4)], *views, relocation=0.1).likely_places()
    assert place[0] <= 4
    assert chance > 0.5


@pytest.mark.parametrize("start", [AWAY, showing((9, 1))], ids=["from anywhere", "from where it was seen"])
@pytest.mark.parametrize("is_read", [True, False])
def test_a_new_expectation_holds_of_the_steps_since_the_place_was_known(start: TextualMap, is_read: bool) -> None:
    """An agent that decides when it comes back sees the regions of what it now expects, not of what it did before."""
    sites: dict[Cell, str] = {(1, 4): "rock", (2, 4): "rock", (9, 4): "paper"}
    views = start, *[empty()] * 5
    changed, always = (
        PlayerBeliefMap(ROOM, ("opponent",), 2, site_ratio=4.0, expected_ratio=3.0, relocation=0.07) for _ in range(2)
    )
    changed.set_sites(sites, "paper")
    always.set_sites(sites, "rock")
    for view in views:
        changed.update(view)
        always.update(view)
        assert not is_read or changed.likely_places()
    changed.set_sites(sites, "rock")
    assert changed.of("opponent") == pytest.approx(always.of("opponent"))
    assert changed.likely_places() == always.likely_places()


def test_likely_places_follow_the_expected_kind_at_once() -> None:
    """A plan is asked for in the step in which the strategy is decided."""
    memory = EntityMemory(ROOM, PlayerBeliefMap(ROOM, ("opponent",), 1, site_ratio=4.0, expected_ratio=9.0))
    memory.sites.update({(1, 4): "rock", (9, 4): "paper"})
    memory.expect("paper")
    memory.update(0, AWAY)
    memory.update(1, empty())
    first = {}
    for kind in ("paper", "rock"):
        memory.expect(kind)
        first[kind] = memory.likely_places()[0][0]
    assert first["paper"][0] > 6
    assert first["rock"][0] < 4
