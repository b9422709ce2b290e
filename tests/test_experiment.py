"""What an experiment leaves behind, and what it refuses."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
from dataclasses import replace
from errno import EACCES
from itertools import combinations_with_replacement
from pathlib import Path
from typing import NoReturn

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.config import ConfigError
from hm_agent.core import Step
from hm_agent.experiment import Experiment
from hm_agent.experiment.lineups import left_out_lines
from hm_agent.experiment.planned_episode import Episode
from hm_agent.metrics import Measure
from hm_agent.pool.progress import Progress
from hm_agent.pool.run import run
from hm_agent.recording.result import FILE, read_result, write_result
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.summary import write_summary

(SCENARIO,) = find_scenarios(["rws_repeated_6"])


def experiment(out: Path, **changes: object) -> Experiment:
    wanted: dict[str, object] = {"scenarios": (SCENARIO,), "options": {"bots": "scripted"}, "max_steps": 40, "out": out}
    return Experiment(**(wanted | changes))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, silence: Progress) -> Path:
    out = tmp_path_factory.mktemp("runs")
    agents = ("hypothetical_minds", "random")
    run(experiment(out, agents=agents, episodes=2, record_video=True), silence)
    return out


def test_a_result_says_what_it_is_measured_by(played: Path) -> None:
    results = read_runs((played,)).results
    assert {result.measure for result in results} == {SCENARIO.metric.measure} == {Measure.reward_per(1200)}


def test_what_was_measured_in_another_way_is_neither_taken_for_played_nor_lost(
    tmp_path: Path, silence: Progress
) -> None:
    run(experiment(tmp_path, max_steps=10), silence)
    changed = replace(SCENARIO, metric=SCENARIO.metric.measured_by(Measure.reward_per(100)))
    again = experiment(tmp_path, max_steps=10, scenarios=(changed,))
    before = read_runs((tmp_path,)).results
    with pytest.raises(ConfigError, match=r"measured by .*reward per 1,200 steps.*not by .*100 steps.*--overwrite"):
        run(again, silence)
    assert read_runs((tmp_path,)).results == before
    (played,) = run(replace(again, overwrite=True), silence)
    assert played.measure == Measure.reward_per(100)


def test_a_replay_is_left_out_on_request_and_changes_nothing_that_is_played(
    played: Path, tmp_path: Path, silence: Progress
) -> None:
    run(experiment(tmp_path, record_replay=False), silence)
    (trace, result) = sorted(tmp_path.glob("*/*/*/*/*"), reverse=True)
    assert (trace.name, result.name) == ("trace.jsonl", "result.json")
    assert trace.read_bytes() == (played / trace.relative_to(tmp_path)).read_bytes()


def test_a_result_tells_what_was_played(played: Path) -> None:
    result = read_result(played / SCENARIO.name / "hypothetical_minds" / "builtin" / "episode-0" / "result.json")
    assert result is not None
    assert (result.status, result.steps, result.settings["bots"]) == ("max_steps", 40, "scripted")
    assert result.metrics["normalised_reward"] == result.reward * 1200 / 40
    assert result.background == ("running_with_scissors_in_the_matrix__repeated__rock_margin_0",)
    assert (result.model_calls, result.cost) == (0, 0.0)
    assert result.questions > 0
    assert result.versions["dm-meltingpot"] == "2.4.1"
    assert (result.settings["seed"], result.settings["max_steps"], result.settings["top_k"]) == (0, 40, 5)


def test_agents_meet_the_same_opponents(played: Path) -> None:
    seeds = {(result.agent, result.episode): result.seed for result in read_runs((played,)).results}
    assert seeds["random", 0] == seeds["hypothetical_minds", 0] != seeds["hypothetical_minds", 1]


def test_the_summary_counts_all_episodes_and_names_the_bots(played: Path) -> None:
    write_summary(played, read_runs((played,)))
    text = (played / "summary.md").read_text()
    assert "| rws_repeated_6 | hypothetical_minds | builtin | 2 |" in text
    assert "scripted" in text
    assert len(json.loads((played / "summary.json").read_text())["episodes"]) == 4


def test_an_episode_that_is_there_is_not_overwritten_unasked(played: Path) -> None:
    assert experiment(played).survey().due == 0
    assert experiment(played, overwrite=True).survey().due == 1


def test_what_may_not_be_removed_is_named(tmp_path: Path, silence: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, **_: object) -> NoReturn:
        raise PermissionError(EACCES, "Permission denied", name)

    (folder := next(experiment(tmp_path).plan()).folder).mkdir(parents=True)
    (folder / "trace.jsonl").touch()
    monkeypatch.setattr(os, "unlink", refuse)
    with pytest.raises(OSError, match=f"Permission denied: '{folder}'"):
        run(experiment(tmp_path), silence)


def test_a_limit_that_was_not_set_before_is_another_setting(played: Path) -> None:
    episode = next(experiment(played).plan())
    result = read_result(episode.folder / FILE)
    assert result is not None
    unset = replace(result, settings={**result.settings, "max_steps": None})
    assert list(episode.what_differs(unset)) == ["was played without --max_steps, not with --max_steps=40"]


def test_a_failure_is_played_anew_on_request_alone(played: Path, tmp_path: Path) -> None:
    result = read_result(next(experiment(played).plan()).folder / FILE)
    assert result is not None
    planned = experiment(tmp_path)
    (folder := next(planned.plan()).folder).mkdir(parents=True)
    write_result(replace(result, status="failed: it broke"), folder)
    assert [replace(planned, retry_failed=retries).survey().due for retries in (False, True)] == [0, 1]


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_result_of_a_later_version_is_not_overwritten_unasked(tmp_path: Path, *, overwrite: bool) -> None:
    planned = experiment(tmp_path, overwrite=overwrite)
    first = next(planned.plan())
    first.folder.mkdir(parents=True)
    (first.folder / FILE).write_text('{"format": 9}')
    with nullcontext() if overwrite else pytest.raises(ConfigError, match=r"has format 9, .* this version .* writes 2"):
        planned.check()


def test_a_file_is_no_folder_to_write_to(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="is a file"):
        experiment(tmp_path / "file" / "runs").check()


# Seats


DYAD, CROWD, PAIRS = find_scenarios(["rws_repeated_selfplay", "rws_arena_selfplay", "rws_pairs_order_1_even"])


def test_one_agent_plays_every_seat() -> None:
    (episode,) = Experiment((DYAD,), ("react",)).plan()
    assert (episode.agents, episode.agent) == (("react", "react"), "react")


def test_agents_meet_by_seat_and_their_names_repeat_in_turn() -> None:
    (episode,) = Experiment((CROWD,), seats=("react", "vmp", "random")).plan()
    assert episode.agents == ("react", "vmp", "random", "react", "vmp", "random", "react", "vmp")
    assert episode.agent == "react+vmp+random"
    assert episode.folder.parts[-3:] == ("react+vmp+random", "builtin", "episode-0")


def test_seats_leave_scenarios_of_one_seat_to_the_agents() -> None:
    agents = [episode.agents for episode in Experiment((SCENARIO, DYAD), ("noop",), seats=("react",)).plan()]
    assert agents == [("noop",), ("react", "react")]


def test_models_are_given_by_seat_and_joined_in_the_name_of_the_folder() -> None:
    (episode,) = Experiment((DYAD,), seats=("react", "vmp"), seat_models=("org/one", "builtin")).plan()
    assert (episode.models, episode.model) == (("org/one", "builtin"), "org/one+builtin")
    assert episode.folder.parts[-2].startswith("org-one+builtin-")


@pytest.mark.parametrize(
    ("scenario", "changes", "said"),
    [
        (DYAD, {"seats": ("react",) * 3}, "--seats names 3, and rws_repeated_selfplay has 2 seats"),
        (SCENARIO, {"seats": ("react",)}, "--seats has no effect: these scenarios have one seat each, and --agent"),
        (SCENARIO, {"seats": ("react", "vmp")}, "--seats names 2, and rws_repeated_6 has one seat"),
        (DYAD, {"seat_models": ("a", "b", "c")}, "--seat_models names 3, and rws_repeated_selfplay has 2 seats"),
        (PAIRS, {"seats": ("react", "order_0")}, "rws_pairs_order_1_even: one agent takes all seats"),
        (PAIRS, {"agents": ("react", "order_0"), "tournament": True}, "rws_pairs_order_1_even: one agent takes all"),
        (PAIRS, {"max_steps": 340}, "max_steps=340: in the first 340 steps of rws_pairs_order_1_even nothing"),
        (
            DYAD,
            {"agents": ("oracle",)},
            "oracle can't play rws_repeated_selfplay: hypothetical_minds, hm_joint, hm_odds, react, ",
        ),
    ],
)
def test_what_does_not_fit_the_seats_is_refused(
    scenario: object, changes: dict[str, object], said: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=said):
        experiment(tmp_path, **({"scenarios": (scenario,)} | changes)).check()


def test_seats_have_seeds_of_their_own_and_the_first_has_the_episode_s() -> None:
    (episode,) = Experiment((CROWD,), ("react",)).plan()
    seeds = [episode.seed_of(seat) for seat in CROWD.seats]
    assert seeds[0] == episode.seed
    assert len(set(seeds)) == 8


def test_agents_who_are_resident_have_a_seat_each_among_the_bots() -> None:
    (resident,) = find_scenarios(["chicken_arena_1"])
    assert resident.seats == tuple(f"player_{slot}" for slot in range(5))


def test_result_tells_reward_and_usage_by_seat(tmp_path: Path, silence: Progress) -> None:
    options = {"scenarios": (DYAD,), "seats": ("hypothetical_minds", "random"), "record_replay": False}
    (result,) = run(experiment(tmp_path, **options), silence)
    first, second = result.seats
    assert (first.seat, first.agent, second.seat, second.agent) == (
        "player_0",
        "hypothetical_minds",
        "player_1",
        "random",
    )
    assert result.reward == (first.reward + second.reward) / 2
    assert first.questions == result.questions > second.questions == 0
    assert "pose_lost_steps" in first.metrics
    assert "pose_lost_steps" not in second.metrics
    assert "interactions" in result.metrics


class Noted:
    """A recorder that notes whether it was closed."""

    def __init__(self) -> None:
        self.is_closed = False

    def record(self, step: Step) -> None: ...

    def close(self) -> None:
        self.is_closed = True


def test_recorders_are_closed_where_a_later_one_cannot_be_made(tmp_path: Path, silence: Progress) -> None:
    noted = Noted()

    def refuse(episode: Episode) -> NoReturn:
        raise RuntimeError("it can't be made")

    (result,) = run(experiment(tmp_path, agents=("random",), recorders=(lambda episode: noted, refuse)), silence)
    assert result.status == "failed: RuntimeError: it can't be made"
    assert noted.is_closed


def test_what_an_agent_cannot_play_is_left_out_and_the_rest_is_played(tmp_path: Path) -> None:
    (story,) = find_scenarios(["exploretom_a1"])
    asked = experiment(tmp_path, scenarios=(SCENARIO, story), agents=("react", "reader"))
    asked.check()
    assert [(episode.scenario, episode.agent) for episode in asked.plan()] == [(SCENARIO, "react"), (story, "reader")]
    assert list(left_out_lines(asked.left_out)) == [
        "reader in rws_repeated_6: it belongs to ExploreToM",
        "react in exploretom_a1: ExploreToM is played by its own agents alone",
    ]


def test_ceiling_and_floor_are_each_world_s_own() -> None:
    names = (
        "rws_repeated_6",
        "symmtom_w6_n3_c6",
        "exploretom_a1",
        "enacttom_appendix_e",
        "mg_pd_grim",
        "mg_pd_selfplay",
    )
    asked = Experiment(find_scenarios(names), ("oracle", "ceiling", "floor"))
    played = {info.short_name: [lineup.agents[0] for lineup in asked.lineups(info)] for info in asked.scenarios}
    assert list(played.values()) == [
        ["oracle", "random"],
        ["k_oracle", "heuristic"],
        ["order_3", "reality"],
        ["planner", "random"],
        ["oracle", *suites()["matrix_games"].shortcuts],
        [],
    ]
    assert [one.why for one in asked.left_out] == [
        "it is made for other scenarios",
        "its score has no ceiling",
        "its score has no floor",
    ]


@pytest.mark.parametrize(
    ("name", "changes_places"),
    [
        ("rws_repeated_selfplay", False),
        ("mg_pd_selfplay", False),
        ("mg_bos_selfplay", True),
        ("symmtom_w6_n3_c6", True),
    ],
)
def test_agents_of_a_tournament_change_places_where_seats_differ(name: str, changes_places: bool) -> None:
    (scenario,) = find_scenarios([name])
    asked = Experiment((scenario,), ("react", "hypothetical_minds"), tournament=True)
    met = [list(dict.fromkeys(lineup.agents)) for lineup in asked.lineups(scenario)]
    back = [["hypothetical_minds", "react"]] if changes_places else []
    assert met == [["react"], ["react", "hypothetical_minds"], *back, ["hypothetical_minds"]]


@pytest.mark.parametrize(
    ("agents", "models", "entrants"),
    [
        (("react",), ("a", "b"), ["react a", "react b"]),
        (("react", "react", "vmp"), ("a", "b", "a"), ["react a", "react b", "vmp a"]),
        (("react", "vmp", "react"), ("a",), ["react a", "vmp a"]),
    ],
)
def test_an_agent_meets_itself_with_another_model_in_a_tournament(
    agents: tuple[str, ...], models: tuple[str, ...], entrants: list[str]
) -> None:
    (scenario,) = find_scenarios(["rws_arena_selfplay"])
    asked = Experiment((scenario,), agents, seat_models=models, tournament=True)
    asked.check(opens_models=False)
    tables = [
        list(dict.fromkeys(f"{agent} {model}" for agent, model in zip(table.agents, table.models, strict=True)))
        for table in asked.lineups(scenario)
    ]
    assert tables == [list(dict.fromkeys(pair)) for pair in combinations_with_replacement(entrants, 2)]
    assert len({episode.folder for episode in asked.plan()}) == len(tables)
