"""The floor plan as shapes, and the video that is made of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PIL import ImageColor

from hm_agent.recording.shapes import PALETTE, DrawnShape, colour_of, text_width
from hm_agent.worlds.enacttom.house.commands import IDLE, navigate, open_it, pick, tell
from hm_agent.worlds.enacttom.tasks.mechanics import InverseState, RemoteControl, RoomRestriction
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.viewer.plan_layout import NARROW, WIDE, Rect
from hm_agent.worlds.enacttom.viewer.plan_picture import DrawnPlan, PlanPicture
from hm_agent.worlds.enacttom.viewer.turns import known_claims, mistakes
from hm_agent.worlds.enacttom.viewer.video_picture import PLACE, HouseVideo
from hm_agent.worlds.enacttom.world import HouseScene
from tests.support.enacttom.random_tasks import TaskSize, random_task
from tests.support.enacttom.small_house import small_task
from tests.support.step_log import StepLog
from tests.worlds.enacttom.viewer.house_recordings import Scripted, played

OPEN = Proposition("is_open", ("cabinet_1",))
CUP = Proposition("is_on_top", ("cup_1", "table_1"))
WIDTHS = (WIDE, NARROW)


def largest() -> HouseholdTask:
    """About the largest household that there is."""
    size = TaskSize(agents=4, rooms=8, furniture=30, objects=14)
    return max((random_task(seed, size) for seed in range(20)), key=lambda one: len(one.plan.furniture))


def small() -> HouseholdTask:
    bindings = (
        RoomRestriction(restricted_rooms=("kitchen_1",), for_agents=("agent_0",)),
        RemoteControl(trigger_object="cabinet_1", target_object="cabinet_2", target_state="open"),
        InverseState(trigger_object="cabinet_2"),
    )
    return small_task(["(is_open cabinet_1)", "(K agent_1 (is_open cabinet_1))"], bindings)


def holds(outer: Rect, inner: Rect) -> bool:
    right, bottom = inner.x + inner.width, inner.y + inner.height
    return (
        outer.x <= inner.x
        and outer.y <= inner.y
        and right <= outer.x + outer.width
        and bottom <= outer.y + outer.height
    )


def overlap(one: Rect, other: Rect) -> bool:
    across = one.x < other.x + other.width and other.x < one.x + one.width
    return across and one.y < other.y + other.height and other.y < one.y + one.height


def texts(shapes: list[DrawnShape]) -> list[DrawnShape]:
    return [one for one in shapes if one.kind == "text"]


def span_of(one: DrawnShape) -> Rect:
    x, y, size = one.numbers
    width = text_width(one.words, size)
    left = {"start": x, "middle": x - width / 2, "end": x - width}[one.anchor]
    return Rect(left, y - size / 2, width, size)


@pytest.mark.parametrize("width", WIDTHS)
def test_rooms_hold_their_furniture_and_nothing_lies_on_anything(width: float) -> None:
    task = largest()
    layout = DrawnPlan(task, width).layout
    whole = Rect(0, 0, layout.width, layout.height)
    assert all(holds(whole, room) for room in layout.rooms.values())
    assert all(holds(layout.rooms[task.plan.furniture[name]], one) for name, one in layout.furniture.items())
    for places in (layout.rooms, layout.furniture):
        assert not [pair for pair in combinations(places.values(), 2) if overlap(*pair)]
    for room, strip in layout.strips.items():
        assert not [one for one in layout.furniture.values() if overlap(one, strip)], room


@pytest.mark.parametrize("width", WIDTHS)
def test_no_name_is_wider_than_its_place(width: float) -> None:
    task = largest()
    drawn = DrawnPlan(task, width)
    shapes = texts([*drawn.furnishing, *drawn.figures(PlanPicture(task.init))[1]])
    rooms = drawn.layout.rooms.values()
    assert len(shapes) >= len(task.plan.rooms) + len(task.plan.furniture) + len(task.agents)
    assert [one.words for one in shapes if not any(holds(room, span_of(one)) for room in rooms)] == []


def test_long_names_keep_their_number_and_are_told_in_full() -> None:
    task = small_task(["(is_open cabinet_1)"])
    long = "a_cabinet_of_walnut_with_many_little_drawers_77"
    text = task.file.problem_pddl.replace("cabinet_2", long)
    renamed = check_task(task.file.model_copy(update={"problem_pddl": text}))
    (shape,) = [one for one in texts(DrawnPlan(renamed, NARROW).furnishing) if one.title == long]
    assert shape.words.startswith("a_")
    assert shape.words.endswith("…s_77")


def test_an_object_is_drawn_where_it_is() -> None:
    task = small()
    drawn = DrawnPlan(task, WIDE)
    moved = (task.init - {CUP}) | {Proposition("is_inside", ("cup_1", "cabinet_2"))}
    for facts, furniture, words in ((task.init, "table_1", "cup_1"), (moved, "cabinet_2", "cup_1")):
        (shape,) = [one for one in texts(drawn.figures(PlanPicture(facts))[1]) if one.words == words]
        assert holds(drawn.layout.furniture[furniture], span_of(shape))


def test_what_finds_no_room_is_counted_and_told() -> None:
    task = largest()
    table = next(one for one in task.plan.furniture if one not in task.plan.openable)
    things = [f"cup_{number}" for number in range(12)]
    _, shapes = DrawnPlan(task, WIDE).figures(
        PlanPicture(frozenset(Proposition("is_on_top", (thing, table)) for thing in things))
    )
    (rest,) = [one for one in texts(shapes) if one.words.startswith("+")]
    shown = [one.words for one in texts(shapes) if one.words in things]
    assert int(rest.words) == len(things) - len(shown)
    assert {*shown, *rest.title.split(", ")} == set(things)


def test_the_rooms_that_an_agent_cannot_enter_are_hatched_in_its_colour() -> None:
    drawn = DrawnPlan(small(), WIDE)
    assert drawn.hatching("agent_1") == []
    lines = drawn.hatching("agent_0")
    assert len(lines) > 10
    assert {one.stroke for one in lines} == {colour_of(0)}
    x, y, width, height = drawn.layout.rooms["kitchen_1"]
    for one in lines:
        across, down = one.numbers[::2], one.numbers[1::2]
        assert x <= min(across) <= max(across) <= x + width + 1e-9
        assert y <= min(down) <= max(down) <= y + height + 1e-9


def test_a_handle_leads_to_what_it_set() -> None:
    task = small()
    drawn = DrawnPlan(task, WIDE)
    below, shapes = drawn.figures(PlanPicture(task.init, handles=[("agent_0", "cabinet_1", ["cabinet_2"])]))
    (arrow,) = [one for one in below if one.kind == "polygon" and one.fill == "glow"]
    x, y = arrow.numbers[:2]
    assert overlap(Rect(x - 1, y - 1, 2, 2), drawn.layout.furniture["cabinet_2"])
    glowing = [one.numbers[:4] for one in shapes if one.kind == "box" and one.stroke == "glow"]
    assert glowing == [tuple(drawn.layout.furniture["cabinet_2"])]


def test_no_arrow_runs_through_a_name() -> None:
    task = small()
    sent = [(sender, [other for other in task.agents if other != sender], True) for sender in task.agents]
    shapes = DrawnPlan(task, WIDE).layers(PlanPicture(task.init, sent=sent))
    heads = [number for number, one in enumerate(shapes) if one.kind == "polygon" and str(one.fill).startswith("agent")]
    assert len(heads) == len(task.agents)
    assert max(heads) < min(number for number, one in enumerate(shapes) if one.kind == "text")


def test_mechanics_are_drawn_for_those_who_are_told_of_them() -> None:
    task = small_task(
        ["(is_open cabinet_1)"],
        (InverseState(trigger_object="cabinet_2"),),
        secrets={"agent_0": ("(is_inverse cabinet_2)",), "agent_1": ("(wanted (is_open cabinet_1))",)},
    )
    drawn = DrawnPlan(task, WIDE)
    assert drawn.mechanics("agent_0") == drawn.mechanics() != ([], [])
    assert drawn.mechanics("agent_1") == ([], [])


def test_only_what_is_remembered_wrongly_is_stricken() -> None:
    task = small()
    memory = frozenset({CUP, OPEN, Proposition("agent_in_room", ("agent_1", "hall_1"))})
    drawn = DrawnPlan(task, WIDE)
    assert drawn.strokes(memory, []) == []
    wrong = [one for one in memory if one not in task.init]
    frames = [one for one in drawn.strokes(memory, wrong) if one.kind == "box"]
    assert len(frames) == len(wrong) == 2
    assert mistakes(wrong, task.init) == [
        ["agent_1 is in hall_1", "agent_1 is in kitchen_1"],
        ["cabinet_1 is open", "cabinet_1 is closed"],
    ]


def test_what_follows_from_other_knowledge_is_not_told_twice() -> None:
    chains = (("agent_0",), ("agent_0", "agent_1"), ("agent_1",), ("agent_1", "agent_0"))
    knows = [Claim(one, OPEN) for one in chains]
    assert known_claims(knows, "agent_0") == [Claim(("agent_1",), OPEN)]
    assert known_claims(knows[:1], "agent_0") == [Claim((), OPEN)]


def video_of(task: HouseholdTask, log: StepLog[HouseScene]) -> list[np.ndarray]:
    picture = HouseVideo(task, "a title")
    return [picture(step) for step in log.steps]


def test_a_video_shows_agents_where_they_stand_after_every_step() -> None:
    task = small()
    commands = [open_it("cabinet_1"), tell([Claim((), OPEN)], ["agent_1"]), pick("cup_1")]
    log = played(task, {"agent_0": Scripted(commands), "agent_1": Scripted([IDLE, navigate("hall_1")])})
    frames = video_of(task, log)
    layout = DrawnPlan(task, WIDE).layout
    scale = PLACE.width / layout.width
    assert {frame.shape for frame in frames} == {(720, 1280, 3)}
    for number, frame in enumerate(frames):
        for one in log.scene(number).after:
            if one.predicate == "agent_in_room":
                agent = task.agents.index(one.arguments[0])
                strip = layout.strips[one.arguments[1]]
                x = strip.x + (agent + 0.5) * strip.width / 2 - 10
                found = frame[PLACE.y + round((strip.y + 14) * scale), PLACE.x + round(x * scale)]
                wanted = ImageColor.getrgb(PALETTE[colour_of(agent)])
                assert np.abs(found.astype(int) - wanted).max() < 40, (number, one)
    assert (frames[0] != frames[-1]).any()
