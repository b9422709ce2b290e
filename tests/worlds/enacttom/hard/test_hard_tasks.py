"""The hard tasks that ship: proofs, pairs, the ladder, what their agents see, and how others play them."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import scenario_named
from hm_agent.episode import run_episode
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.enacttom.author.author_command import main as generate
from hm_agent.worlds.enacttom.author.hard_scenes import SCENES
from hm_agent.worlds.enacttom.command_line import verify_command
from hm_agent.worlds.enacttom.house.commands import IDLE, HouseCommand, tell
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.ladder.order_agent import AGENTS
from hm_agent.worlds.enacttom.language.reasoner import best_commands, foresee
from hm_agent.worlds.enacttom.language.situation import HANDLES, MOST_COMMANDS, WRITES, HouseSituation, PartnerActed
from hm_agent.worlds.enacttom.language.written_commands import context_of, read_command
from hm_agent.worlds.enacttom.scenarios import hard_task_files, task_files
from hm_agent.worlds.enacttom.suite import SUITE
from hm_agent.worlds.enacttom.tasks.characters import CharacterRule
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from hm_agent.worlds.enacttom.verification.character_search import Position, places_alone
from hm_agent.worlds.enacttom.verification.hard_proof import HardProof, prove, shared_schedules
from hm_agent.worlds.enacttom.viewer.viewer import HouseViewer
from hm_agent.worlds.enacttom.world import EnacttomWorld, HouseScene
from hm_agent.written_calls import CallError
from tests.support.enacttom.hard_house import CUP, hard_task
from tests.support.step_log import StepLog
from tests.worlds.enacttom.language.household_examples import Watched

FILES = hard_task_files()
PAIRS = sorted({name[:-2] for name in FILES})
FIRST = [name for name in PAIRS if name.endswith("_00")]
PROVED_AGAIN = FIRST[::3]


def twins(pair: str) -> tuple[HouseholdTask, HouseholdTask]:
    return load_task(FILES[f"{pair}_a"]), load_task(FILES[f"{pair}_b"])


def first_view(task: HouseholdTask) -> HouseView:
    return EnacttomWorld(task).reset(0).observations[task.seats[0]].view


def test_tasks_ship_in_pairs_of_all_orders_and_scenes() -> None:
    tasks = [load_task(path) for path in FILES.values()]
    assert Counter(task.file.needs_order for task in tasks) == {1: 40, 2: 36, 3: 40}
    scenes = Counter(name.removeprefix("enacttom_hard_").rsplit("_", 1)[0] for name in PAIRS)
    assert set(scenes) == {f"k{depth}_{scene}" for depth, its_scenes in SCENES.items() for scene in its_scenes}
    assert all(count >= 4 for count in scenes.values())
    kinds = {mind.kind for task in tasks for mind in task.characters.values()}
    assert kinds == {"helper", "gossip", "rival", "silent", "relay"}
    assert not any(name.startswith("enacttom_hard") for name in task_files())


def test_every_certificate_is_of_its_file_and_says_what_is_wanted() -> None:
    for path in FILES.values():
        file = load_task(path).file
        certificate, order = file.hard_certificate, file.needs_order or 0
        assert certificate, path
        assert certificate.task_hash == file.hash
        assert (certificate.solvable, certificate.broadcasters, certificate.silent) == ("solved", *["unsolvable"] * 2)
        assert certificate.orders == {f"order_{number}": number >= order for number in range(4)}
        assert not any(certificate.shortcuts.values())
        assert {"flood", "solo", "random", "broadcaster", "reality"} <= set(certificate.shortcuts)
        assert {f"order_{less}_sure" for less in range(1, order)} <= set(certificate.shortcuts)
        assert certificate.twin_fails == "unsolvable"


@pytest.mark.parametrize(
    "pair", [pytest.param(pair, marks=[] if "_k1_" in pair else pytest.mark.heavy) for pair in PROVED_AGAIN]
)
def test_certificates_are_proved_again(pair: str) -> None:
    a, b = twins(pair)
    for task, twin in ((a, b), (b, a)):
        verdict = prove(task, twin)
        assert verdict.faults == ()
        assert verdict.certificate == task.file.hard_certificate


def test_twins_have_the_same_house_goal_and_text_and_differ_in_what_is_known() -> None:
    for pair in PAIRS:
        a, b = twins(pair)
        assert (a.plan, a.goal, a.hidden, a.file.task, a.file.max_turns) == (
            b.plan, b.goal, b.hidden, b.file.task, b.file.max_turns,
        )  # fmt: skip
        assert a.init == b.init
        assert (a.known, a.characters) != (b.known, b.characters)
        assert scenario_named(f"{pair}_a").pair == scenario_named(f"{pair}_b").pair == pair


def test_who_is_not_told_which_of_two_tasks_it_is_sees_no_difference() -> None:
    pairs = [pair for pair in PAIRS if "watch" in pair]
    assert pairs
    for pair in pairs:
        a, b = twins(pair)
        assert a.known != b.known
        assert first_view(a) == first_view(b)


def test_the_models_of_a_briefing_do_not_tell_how_blanks_are_filled() -> None:
    task = load_task(FILES[f"{next(pair for pair in PAIRS if 'blanks' in pair)}_a"])
    view = first_view(task)
    assert len(view.briefing.models) == 4
    assert view.text.count("___") == 2
    assert not any(slot[0].words in view.text for slot in task.slots)
    other = replace(
        task,
        init=view.briefing.models[0].init,
        known={**view.briefing.models[0].known},
        slots=tuple(
            (next(fact for fact in slot if fact in view.briefing.models[0].init), *(
                fact for fact in slot if fact not in view.briefing.models[0].init
            ))
            for slot in task.slots
        ),
    )  # fmt: skip
    assert first_view(other).text == view.text
    assert set(map(repr, first_view(other).briefing.models)) == set(map(repr, view.briefing.models))


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(pair, marks=[] if pair in FIRST or pair.endswith("_01") else pytest.mark.heavy)
        for pair in PAIRS
        if "_k1_" not in pair
    ],
)
def test_twins_that_need_a_deeper_order_are_not_solved_by_telling_the_same_agents(pair: str) -> None:
    assert not shared_schedules([HardProof(task) for task in twins(pair)], places_alone)


def test_the_schedules_of_a_task_are_those_by_which_it_can_be_solved() -> None:
    task = twins("enacttom_hard_k1_loose_tongue_00")[0]
    assert task.message_budget(task.seats[0]) == 1
    household = Household(task)
    agent, targets = task.agents.index(task.seats[0]), household.mechanics.targets(task.seats[0])
    facts = [fact for fact in task.known[task.seats[0]] if fact.predicate == Is.INSIDE]
    groups = [group for count in range(1, len(targets) + 1) for group in combinations(sorted(targets), count)]
    solving = set()
    for group, fact, at in product(groups, facts, range(task.max_turns)):
        position = Position(HouseRuntime(household))
        while not position.is_over:
            is_now = position.runtime.turn == at
            position = position.after(agent, tell([Claim((), fact)], group) if is_now else IDLE)
        if position.is_won:
            solving.add(((group, ((),)),))
    assert HardProof(task).schedules(places_alone) == solving
    assert 0 < len(solving) < len(groups)


def test_agents_of_the_ladder_solve_what_needs_their_order_and_nothing_above() -> None:
    for pair in (one for one in FIRST if one not in PROVED_AGAIN and "_k3_" not in one):  # a proof plays all orders
        task = twins(pair)[0]
        needed = task.file.needs_order or 0
        for order in (needed - 1, needed):
            world = EnacttomWorld(task)
            asyncio.run(run_episode(world, {task.seats[0]: AGENTS[f"order_{order}"]()}, seed=0))
            assert world.is_solved == (order >= needed), (pair, order)


@pytest.mark.parametrize("agent", ["planner", "flood", "broadcaster", "reality"])
def test_other_agents_play_a_hard_task_to_its_end(agent: str) -> None:
    scenario = scenario_named(f"{FIRST[0]}_a")
    world, agents = set_up(scenario, agent, seed=1)
    assert list(agents) == list(scenario.seats)
    play_out(world, agents, seed=1)
    assert isinstance(world, EnacttomWorld)
    assert world.is_over
    assert world.metrics()["functional_success"] == (agent == "planner")


def test_an_agent_that_asks_the_reasoner_solves_both_twins_by_what_it_writes() -> None:
    for pair, twin in product(FIRST, "ab"):
        world, agents = set_up(scenario_named(f"{pair}_{twin}"), "hypothetical_minds", seed=1)
        outcome = play_out(world, agents, seed=1)
        assert isinstance(world, EnacttomWorld)
        assert world.is_solved, (pair, twin)
        assert sum(agent.usage.questions for agent in agents.values()) <= outcome.steps, (pair, twin)


def test_a_plan_of_the_reasoner_is_no_longer_than_a_plan_may_be() -> None:
    task = twins("enacttom_hard_k1_errand_00")[0]
    longer = replace(task, file=task.file.model_copy(update={"max_turns": MOST_COMMANDS + 4}))
    assert len(best_commands(HouseSituation((first_view(longer),)))) == MOST_COMMANDS


def test_the_reasoner_foresees_what_it_will_notice_of_characters() -> None:
    here = "(is_on_top cup_1 cabinet_3)"
    helper = CharacterRule(kind="helper", wants=(here,))
    helped = hard_task({"agent_1": helper}, known={"agent_1": [CUP]}, goal=[here], spare_room="hall_1")
    kinds = set()
    for task in (helped, twins("enacttom_hard_k1_blanks_00")[0]):
        watched = Watched(task, task.seats[0])
        while not watched.world.is_over:
            situation = watched.situation
            watched.play({watched.seat: str(best_commands(situation)[0])})
            for act in (event.interaction for event in watched.events if isinstance(event, PartnerActed)):
                assert act.behaviour == foresee(None, situation, act.partner, ()).words
                kinds.add(act.does)
    assert kinds == {WRITES, HANDLES}


def test_the_agents_of_hard_tasks_play_no_other_and_lists_show_the_order_that_is_needed() -> None:
    hard, plain = scenario_named(f"{FIRST[0]}_a"), scenario_named("enacttom_appendix_e")
    for name in AGENTS:
        assert SUITE.own_agents[name].plays(hard)
        assert not SUITE.own_agents[name].plays(plain)
    assert hard.needs_order == 1
    assert len(find_scenarios(["enacttom_hard_*"])) == len(FILES)
    assert not any("_hard_" in found.name for found in find_scenarios(["enacttom_*"]))


def test_replays_show_the_turns_of_characters() -> None:
    name = f"{FIRST[0]}_a"
    task, scenario = load_task(FILES[name]), scenario_named(name)
    world, agents = set_up(scenario, "planner", seed=1)
    log = StepLog(HouseScene)
    asyncio.run(run_episode(world, agents, seed=1, recorders=[log]))
    viewer = HouseViewer(task)
    shown = [viewer.shown(step, task.seats[0]) for step in log.steps]
    assert {agent for step in shown for agent, *_ in step["acts"]} == set(task.agents)
    picture = viewer.picture(scenario, "A hard task")
    assert {picture(step).shape[2] for step in log.steps} == {3}
    assert viewer.facts(scenario)["agents"]


def test_the_environment_of_a_hard_task_has_its_seats_alone() -> None:
    scenario = scenario_named(f"{FIRST[0]}_a")
    env = SUITE.parallel_env(scenario, {}, "ansi")
    observations, _ = env.reset(seed=0)
    assert list(observations) == list(scenario.seats)
    rewards: dict[str, float] = {}
    while env.agents:
        _, rewards, *_ = env.step(dict.fromkeys(env.agents, "Wait[]"))
    assert list(rewards.values()) == [0.0]


@pytest.mark.parametrize("pair", FIRST[::2])
def test_the_plan_of_a_certificate_solves_its_task_as_plain_text(pair: str) -> None:
    scenario = scenario_named(f"{pair}_a")
    certificate = load_task(FILES[f"{pair}_a"]).file.hard_certificate
    assert certificate
    env = SUITE.parallel_env(scenario, {}, None)
    env.reset(seed=0)
    plan, rewards = list(certificate.plan), {}
    while env.agents:
        _, rewards, *_ = env.step(dict.fromkeys(env.agents, plan.pop(0) if plan else "Wait[]"))
    assert list(rewards.values()) == [1.0]


def test_language_agents_are_told_which_sentences_characters_understand() -> None:
    task = load_task(FILES[f"{FIRST[0]}_a"])
    view = first_view(task)
    assert set(view.briefing.claim_readers) == set(view.briefing.targets)


def test_a_language_agent_is_told_when_its_message_has_too_many_facts() -> None:
    view = first_view(load_task(FILES[f"{FIRST[0]}_a"]))
    target = view.briefing.targets[0]
    context = context_of(view, ())
    assert isinstance(read_command(f"Communicate['One thing.', {target}]", context), HouseCommand)
    with pytest.raises(CallError, match="the message has 2 sentences: at most 1 allowed"):
        read_command(f"Communicate['One thing. And another.', {target}]", context)
    assert "A message says at most 1 fact, a sentence each." in view.text


def test_generate_makes_a_shipped_pair_again_and_verify_proves_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate(["--hard", "--tasks=2", "--seed=1", "--workers=1", f"--out={tmp_path}"]) == 0
    made = sorted(tmp_path.glob("*.json"))
    assert [path.name for path in made] == ["hard_k1_errand_00_a.json", "hard_k1_errand_00_b.json"]
    for path in made:
        assert path.read_bytes() == FILES[f"enacttom_{path.stem}"].read_bytes()
    assert verify_command([str(tmp_path)]) == 0
    assert "2 of 2 tasks are proved." in capsys.readouterr().out
