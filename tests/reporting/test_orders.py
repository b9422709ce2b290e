"""The study of orders: what is averaged, paired and shown."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from PIL import Image

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.config import ConfigError
from hm_agent.recording.result import Result
from hm_agent.reporting.csv_records import matchup_records
from hm_agent.reporting.drawing import FigureFiles, page_colours
from hm_agent.reporting.orders import Opponents, OrderStudy
from hm_agent.reporting.orders_figure import orders_figure
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.statistics import t_interval, t_test
from hm_agent.reporting.writing import AS_PNG, write_orders
from tests.reporting.examples import leave, result, settings, shared_result
from tests.reporting.test_figures import PROGRAMS, share_of

GAME, FAMILY = "Running With Scissors, repeated", "Running With Scissors, repeated, study of order"


def named(short_name: str) -> str:
    (scenario,) = find_scenarios([short_name])
    return scenario.name


def played(short_name: str, agent: str, *rewards: float, **changes: object) -> list[Result]:
    """One episode for each reward, by number."""
    scenario = named(short_name)
    return [result(agent, reward, seed=n, scenario=scenario, **changes) for n, reward in enumerate(rewards)]


def study(out: Path, *results: Result) -> OrderStudy:
    leave(out, *results)
    return OrderStudy(read_runs((out,)))


def means(found: OrderStudy) -> dict[tuple[Opponents, str], tuple[float, ...]]:
    return {(one.opponents, found.labels[one.condition]): one.estimate.values for one in found.means}


def test_a_round_is_the_mean_over_the_scenarios_of_an_order(tmp_path: Path) -> None:
    episodes = [*played("rws_repeated_1", "order_0", 10, 20), *played("rws_unseen_1", "order_0", 30, 60)]
    found = study(tmp_path, *episodes, *played("rws_repeated_3", "order_0", 1, 2))
    assert means(found) == {(Opponents(GAME, 0), "order_0"): (1, 2), (Opponents(GAME, 1), "order_0"): (20, 40)}
    assert [one.scenarios for one in found.means] == [1, 2]
    assert found.means[1].interval is None  # of four episodes


def test_an_interval_over_rounds_needs_five_episodes(tmp_path: Path) -> None:
    episodes = [*played("rws_repeated_1", "order_0", 10, 20, 60), *played("rws_unseen_1", "order_0", 30, 60, 60)]
    (one,) = study(tmp_path, *episodes).means
    assert one.interval == t_interval([20, 40, 60], episodes=6)
    assert one.interval is not None


def test_a_round_that_lacks_a_scenario_is_not_counted(tmp_path: Path) -> None:
    episodes = [*played("rws_repeated_1", "order_0", 10, 20, 90), *played("rws_unseen_1", "order_0", 30, 60)]
    assert means(study(tmp_path, *episodes)) == {(Opponents(GAME, 1), "order_0"): (20, 40)}


def test_opponents_made_for_the_study_are_a_family_of_their_own(tmp_path: Path) -> None:
    found = study(tmp_path, *played("rws_order_2", "order_0", 5), *played("rws_unseen_2", "order_0", 7))
    assert means(found) == {(Opponents(GAME, 2), "order_0"): (7,), (Opponents(FAMILY, 2), "order_0"): (5,)}


def test_opponents_of_no_known_order_and_unfinished_episodes_are_left_out(tmp_path: Path) -> None:
    mixed, cycle = played("rws_repeated_2", "order_0", 5), played("rws_unseen_0", "order_0", 5)
    cut = played("rws_repeated_1", "order_1", 5, status="interrupted")
    found = study(tmp_path, *mixed, *cycle, *cut, *played("rws_repeated_1", "order_0", 5))
    assert means(found) == {(Opponents(GAME, 1), "order_0"): (5,)}


def test_without_any_order_there_is_nothing_to_study(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no episode has opponents of a known order"):
        study(tmp_path, *played("rws_repeated_2", "order_0", 5))


def test_deeper_agents_are_compared_with_shallower_ones_in_the_same_episodes(tmp_path: Path) -> None:
    shallow = [*played("rws_repeated_1", "order_0", 10, 20, 0), *played("rws_unseen_1", "order_0", 30, 60, 0)]
    deep = [*played("rws_repeated_1", "order_1", 12, 26, 4), *played("rws_unseen_1", "order_1", 40, 62, 6)]
    references = [*played("rws_repeated_1", "oracle", 80, 80), *played("rws_repeated_1", "random", 0, 0)]
    (one,) = study(tmp_path, *shallow, *deep, *references).differences
    assert (one.opponents, one.first.agent, one.second.agent) == (Opponents(GAME, 1), "order_0", "order_1")
    # 2, 6 and 4 in one scenario, 10, 2 and 6 in the other: 4 and 6 over these; 6, 4 and 5 over the rounds.
    assert (one.over_scenarios.mean, one.over_scenarios.clusters) == (5, 2)
    assert one.over_scenarios.interval == pytest.approx(t_interval([4, 6], episodes=6))
    assert one.over_rounds == pytest.approx(t_interval([6, 4, 5], episodes=6))
    assert one.corrected == one.over_scenarios.p == pytest.approx(t_test([4, 6]))  # the only test of the study


def test_agents_in_other_settings_are_not_compared_with_each_other(tmp_path: Path) -> None:
    for clues in ("on", "off"):
        changes = {"settings": settings(clues=clues)}
        episodes = [
            *played("rws_order_1", "order_0", 1, 2, **changes),
            *played("rws_order_1", "order_1", 3, 5, **changes),
        ]
        leave(tmp_path / clues, *episodes)
    found = OrderStudy(read_runs((tmp_path / "on", tmp_path / "off")))
    pairs = [(found.labels[one.first], found.labels[one.second]) for one in found.differences]
    assert pairs == [(f"order_0 (clues={clues})", f"order_1 (clues={clues})") for clues in ("on", "off")]


def test_self_play_is_in_the_unit_of_the_metric(tmp_path: Path) -> None:
    met = {"scenario": named("rws_repeated_selfplay"), "steps": 600}
    meetings = [shared_result(("order_0", -5.0), ("order_1", 5.0), seed=n, **met) for n in (1, 2)]
    found = study(tmp_path, *meetings, *played("rws_order_1", "order_0", 1))
    (matchup,) = found.matchups
    earned = {(row.agent, column.agent): one.mean for (row, column), one in matchup.rewards.items()}
    assert earned == {("order_0", "order_1"): -10, ("order_1", "order_0"): 10}


def test_rewards_of_seats_are_called_rewards_where_agents_are_compared_by_a_share(tmp_path: Path) -> None:
    met = shared_result(("order0", 1.0), ("order1", 0.0), scenario=named("enacttom_appendix_e"), settings={})
    found = study(tmp_path, met, *played("rws_order_1", "order_0", 1))
    assert {record["unit"] for record in matchup_records(found)} == {"reward per episode"}


def test_of_the_shortcuts_the_floor_alone_is_shown(tmp_path: Path) -> None:
    for agent, payoff in (("react", 2.0), ("copy_last", 1.5), ("constant", 1.2), ("oracle", 3.0)):
        (of_agent,) = played("mg_pd_tit_for_tat", agent, 60.0)
        leave(tmp_path, replace(of_agent, world="matrix_games", metrics={"reward_per_round": payoff}))
    found = OrderStudy(read_runs((tmp_path,)))
    assert {one.agent for one in found.conditions} == {"react", "copy_last", "oracle"}
    assert {one.condition.agent for one in found.means} == {"react", "copy_last", "oracle"}


def test_means_have_the_decimals_of_their_metric(tmp_path: Path) -> None:
    for agent, payoff in (("react", 2.03), ("reflexion", 1.98)):
        (of_agent,) = played("mg_pd_tit_for_tat", agent, 60.0)
        leave(tmp_path / "runs", replace(of_agent, world="matrix_games", metrics={"reward_per_round": payoff}))
    text = write_orders(read_runs((tmp_path / "runs",)), tmp_path / "study", AS_PNG).read_text("utf-8")
    assert "| react | 2.03 (1 scenario, 1 round) |" in text
    assert "| reflexion − react | -0.05 |" in text


def test_the_picture_of_self_play_has_the_decimals_of_the_metric(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met = {"scenario": named("mg_pd_selfplay"), "world": "matrix_games", "settings": {}, "steps": 30}
    found = study(
        tmp_path, shared_result(("react", 60.0), ("random", 61.0), **met), *played("rws_order_1", "order_0", 1)
    )
    said: list[str] = []
    monkeypatch.setattr(Axes, "text", lambda axes, x, y, words, **styles: said.append(words))
    orders_figure(found, AS_PNG)
    assert sorted(said) == ["2.00", "2.03"]


def test_a_picture_has_no_empty_room_beside_few_panels(tmp_path: Path) -> None:
    own, other = (played(name, "order_0", 1, 2) for name in ("rws_repeated_1", "rws_order_1"))
    studies = study(tmp_path / "one", *own), study(tmp_path / "two", *own, *other)
    one, two = (Image.open(io.BytesIO(orders_figure(found, AS_PNG))) for found in studies)
    assert (two.width, two.height) == pytest.approx((2 * one.width, one.height), abs=2)


def write(out: Path, files: FigureFiles = AS_PNG) -> Path:
    """A small study on disk: two families, two settings, references, self-play."""
    for clues, agents in (("on", ("order_0", "order_1", "oracle", "random")), ("off", ("order_0", "order_1"))):
        changes = {"settings": settings(clues=clues)}
        for place, agent in enumerate(agents):
            for scenario in ("rws_repeated_1", "rws_order_1", "rws_order_2", "pd_repeated_5"):
                if (agent, scenario) != ("random", "pd_repeated_5"):
                    leave(out / clues, *played(scenario, agent, 1.5 * place, 2.5, 7.25, **changes))
    met = {"scenario": named("rws_repeated_selfplay"), "settings": settings(bots=None, clues="on")}
    leave(out / "on", *(shared_result(("order_0", -5.0), ("order_1", 5.0), seed=n, **met) for n in (1, 2)))
    return write_orders(read_runs((out / "on", out / "off")), out / "study", files)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of that study, whose figure is asked for as SVG."""
    return write(tmp_path_factory.mktemp("orders"), FigureFiles("svg")).parent


def test_page_shows_the_numbers_of_the_tables(written: Path) -> None:
    page = (written / "orders.md").read_text("utf-8")
    with (written / "orders.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 4 * (4 + 2) - 1
    for row in rows:
        assert f"{float(row['mean']):.1f} ± {float(row['sem']):.1f} (1 scenario, {row['rounds']} rounds)" in page
        assert f"| {row['agent']} |" in page
    assert "| order_1 | 5.0 ± 0.0 (n = 2) | - |" in page
    assert "| pd_repeated_5 | 1 | tit-for-tat |" in page


def test_picture_is_the_same_for_the_same_episodes(written: Path, tmp_path: Path) -> None:
    pictures = [(folder / "orders.png").read_bytes() for folder in (written, write(tmp_path).parent)]
    assert pictures[0].startswith(b"\x89PNG")
    assert pictures[0] == pictures[1]


def test_the_study_is_drawn_as_svg_too(written: Path) -> None:
    for name, program in PROGRAMS.items():
        drawn = program((written / "orders.svg").read_bytes())
        assert share_of(drawn, "#ff00ff") == 0, name
        assert share_of(drawn, page_colours()["page series-0"]) > 0.0005, name
