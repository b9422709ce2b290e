from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import scenario_named, suites
from hm_agent.command_line.cli import main
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.pool.progress import NoProgress
from hm_agent.pool.run import run
from hm_agent.recording.result import read_result
from hm_agent.recording.trace import read_trace
from hm_agent.reporting.conditions import conditions_of, labels
from hm_agent.testing.episodes import play_out, set_up, settled
from hm_agent.worlds.symmtom.rules import Direction, reset
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import sight_of, sights_of
from hm_agent.worlds.symmtom.views import SpokenMove
from hm_agent.worlds.symmtom.world import SymmtomWorld

(SCENARIO,) = find_scenarios(["symmtom_w6_n3_c3"])
SMALL = GameSettings(6, 3, 3)


def test_a_size_that_is_not_listed_is_found_by_its_name() -> None:
    (found,) = find_scenarios(["symmtom_w8_n3_c5_h2"])
    assert (found.world, found.seats) == ("symmtom", ("player_0", "player_1", "player_2"))
    assert scenario_named("symmtom_w8_n3_c5_h2") == found
    with pytest.raises(ConfigError, match="number of agents n is 2 to 16"):
        find_scenarios(["symmtom_w8_n1_c5"])
    assert scenario_named("symmtom_w8_n1_c5").group == "Other scenarios"


def test_a_glob_must_name_the_world_to_find_its_scenarios() -> None:
    assert len(find_scenarios(["symmtom_w*"])) == 12
    assert not [scenario for scenario in find_scenarios(["*"]) if scenario.world == "symmtom"]


@pytest.mark.parametrize("scenario", ["symmtom_w7_n3_c4", "symmtom_test_retroactive_w6"])
def test_a_trained_agent_without_a_checkpoint_is_refused_before_anything_is_played(
    scenario: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    status = main(["hm-agent", "play", f"--scenario={scenario}", "--agent=ippo", f"--out={out}"])
    assert status == 2
    error = capsys.readouterr().err
    assert "ippo has no checkpoint for symmtom_w" in error
    assert error.count("\n") == 1
    assert not out.exists()


def test_who_hears_sees_who_said_what() -> None:
    world = SymmtomWorld(SMALL)
    after = world.reset(3)
    state = world.state
    owned = {agent: int(state.first_hand[0, agent].argmax()) for agent in range(3)}
    for turn in range(SMALL.steps):
        after = world.step(
            {seat: SpokenMove(Direction((turn + i) % 5), owned[i]) for i, seat in enumerate(world.seats)}
        )
        near = np.abs(world.state.positions[0, :, None] - world.state.positions[0]).max(-1) <= 1
        for agent, seat in enumerate(world.seats):
            view = after.observations[seat].view
            assert [one.speaker for one in view.heard] == [j for j in range(3) if near[agent, j] and j != agent]
            assert all(one.piece == owned[one.speaker] for one in view.heard)
            assert view.said == owned[agent]
    assert after.is_over


def test_private_first_hand_knowledge_is_hidden_from_others() -> None:
    world = suites()["symmtom"].open(SCENARIO, settled(SCENARIO, first_hand="private"))
    for agent, seen in enumerate(world.reset(0).observations.values()):
        assert [known is None for known in seen.view.first_hand] == [other != agent for other in range(3)]


def test_a_piece_that_does_not_exist_is_refused() -> None:
    world = SymmtomWorld(SMALL)
    world.reset(0)
    with pytest.raises(ValueError, match="there is no piece 3: pieces are 0 to 2"):
        world.step({seat: SpokenMove(Direction.STAY, 3) for seat in world.seats})


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("left", r"'left' is no action: say SpokenMove\(Direction.LEFT, piece\)"),
        (SpokenMove("left", 0), "there is no direction 'left': Direction has LEFT, "),  # type: ignore[arg-type]
        (SpokenMove(Direction.LEFT, None), "there is no piece None: pieces are 0 to 2"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_action_is_refused_with_what_would_be_right(action: SpokenMove, said: str) -> None:
    world = SymmtomWorld(SMALL)
    world.reset(0)
    with pytest.raises(ValueError, match=said):
        world.step(dict.fromkeys(world.seats, action))


@pytest.mark.parametrize("public", [True, False])
def test_a_view_says_the_same_as_the_row_of_a_batch(public: bool) -> None:
    settings = GameSettings(6, 4, 5, has_public_first_hand=public)
    world = SymmtomWorld(settings)
    turn = world.reset(5)
    for step in range(12):
        actions = {seat: SpokenMove(Direction((step + i) % 5), (step + i) % 5) for i, seat in enumerate(world.seats)}
        turn = world.step(actions)
        batch = sights_of(settings, world.state, world._effects, np.arange(4, dtype=np.uint32)[None])
        for agent, seen in enumerate(turn.observations.values()):
            single = sight_of(seen.view, seen.step, seen.reward, agent)
            for name, value in vars(single).items():
                assert name == "settings" or (value[0] == getattr(batch, name)[agent]).all(), name


def test_the_rewards_of_seats_are_those_of_the_rules() -> None:
    world, agents = set_up(SCENARIO, "heuristic")
    outcome = play_out(world, agents, seed=4)
    counted = [world.seat_metrics(seat)["reward_per_agent"] for seat in world.seats]
    assert list(outcome.rewards.values()) == counted
    assert outcome.steps == 30
    assert world.scene() is not None


def test_one_seed_is_one_episode_to_the_byte_in_any_process(tmp_path: Path) -> None:
    for workers, folder in ((1, "one"), (2, "two")):
        experiment = Experiment(
            (SCENARIO,),
            ("k_ge", "random"),
            episodes=2,
            out=tmp_path / folder,
            workers=workers,
            record_replay=False,
            max_steps=12,
            options=settled(SCENARIO),
        )
        assert all(result.is_finished for result in run(experiment, NoProgress()))
    for path in (tmp_path / "one").rglob("trace.jsonl"):
        assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()


def test_results_and_traces_tell_of_each_seat(tmp_path: Path) -> None:
    experiment = Experiment(
        (SCENARIO,), seats=("k_oracle", "heuristic", "random"), out=tmp_path, options=settled(SCENARIO)
    )
    run(experiment, NoProgress())
    (path,) = tmp_path.rglob("result.json")
    result = read_result(path)
    assert result is not None
    assert result.metrics["reward_per_agent"] == pytest.approx(result.reward)
    assert [seat.agent for seat in result.seats] == ["k_oracle", "heuristic", "random"]
    assert result.seats[0].metrics["believed_rightly"] == 1
    assert "believed_rightly" not in result.seats[1].metrics
    assert result.seats[2].metrics["unknown_pieces_said"] > 0
    lines = list(read_trace(path.with_name("trace.jsonl")))
    assert all(("believed" in line.get("state", {})) == (line["seat"] == "player_0") for line in lines)
    assert json.dumps(lines[0]["action"]).startswith('{"direction": "')


def test_a_new_game_of_the_world_is_that_of_the_rules() -> None:
    world = SymmtomWorld(SMALL)
    world.reset(2**32 - 1)
    assert (world.state.positions == reset(SMALL, [2**32 - 1]).positions).all()


def test_games_of_other_rules_are_another_condition_and_never_resume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = [f"--scenario={SCENARIO.name}", "--agent=random", "--max_steps=6", "--noreplay"]
    for rules in ("paper", "published"):
        assert main(["hm-agent", "play", *flags, f"--rules={rules}", f"--out={tmp_path / rules}"]) == 0
    results = [result for path in sorted(tmp_path.rglob("result.json")) if (result := read_result(path))]
    assert [result.settings["rules"] for result in results] == [None, "published"]
    names = labels(list(dict.fromkeys(conditions_of(results))))
    assert sorted(names.values()) == ["random", "random (rules=published)"]
    capsys.readouterr()
    assert main(["hm-agent", "play", *flags, "--rules=published", f"--out={tmp_path / 'paper'}"]) == 2
    assert "was played without --rules, not with --rules=published" in capsys.readouterr().err
