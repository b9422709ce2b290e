"""The tables of earnings in Melting Pot, and of orders of mind, on all pages are those of the reports."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from statistics import mean

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import ttest_1samp, wilcoxon

ROOT = Path(__file__).parents[1]
RESULTS = (ROOT / "docs/melting_pot_results.md").read_text("utf-8")
LEARNED = RESULTS.partition("\n## Against bots that learned\n")[2].partition("\n## ")[0]
CARDS = (ROOT / "docs/cards.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")
REPORT = (ROOT / "benchmarks/results/report.md").read_text("utf-8")
OURS = "hypothetical_minds"
GAMES = ("rws_repeated_*", "rws_unseen_*", "rws_arena_*", "pd_repeated_*", "pd_unseen_*", "cooking_asymmetric_*")
"""The games of the tables of means, in their order."""
COORDINATION = ("chicken_*", "stag_hunt_*", "bach_*", "pure_*", "rationalizable_*")
WITH_PUPPETS = ("rws_repeated_*", "rws_unseen_*", "pd_repeated_*", "pd_unseen_*", *COORDINATION)


def rows_of_tables(text: str) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """The columns and the cells of each row of all tables of a page."""
    columns: Sequence[str] = ()
    for line in text.splitlines():
        cells = [cell.strip(" `") for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if cells and columns and not set("".join(cells)) <= set("-: "):
            yield columns, cells
        columns = columns or cells if cells else ()


def read_report(folder: str = "") -> Mapping[tuple[str, str], Mapping[str, str]]:
    """The rows of a report's table by scenario and agent."""
    with (ROOT / "benchmarks/results" / folder / "report.csv").open(encoding="utf-8", newline="") as file:
        return {(row["scenario"], row["agent"]): row for row in csv.DictReader(file)}


REPORTED, REPORTED_LEARNED = read_report(), read_report("learned_bots")
AGENTS = tuple(dict.fromkeys(agent for _, agent in REPORTED))
SCENARIOS = tuple(dict.fromkeys(scenario for scenario, _ in REPORTED))


def earned(scenario: str, agent: str) -> float:
    return float(REPORTED[scenario, agent]["mean"])


Table = Sequence[Mapping[str, str]]


def means_shown(page: str) -> Table:
    return [dict(zip(columns, cells, strict=True)) for columns, cells in rows_of_tables(page) if "random" in columns]


def mean_of(report: Mapping[tuple[str, str], Mapping[str, str]], game: str, agent: str, column: str = "mean") -> str:
    """The mean of a column over a game's scenarios; empty where none has it."""
    told = [
        float(row[column]) for (one, who), row in report.items() if fnmatch(one, game) and who == agent and row[column]
    ]
    return f"{mean(told):z.1f}" if told else ""


@pytest.mark.parametrize("page", [README, RESULTS.replace(LEARNED, "")], ids=["README", "results"])
def test_a_page_shows_the_means_of_the_report_by_game(page: str) -> None:
    for row, game in zip(means_shown(page), GAMES, strict=True):
        assert row["scenarios"] == str(sum(fnmatch(scenario, game) for scenario in SCENARIOS))
        for agent in {*AGENTS} & {*row}:
            assert row[agent] == mean_of(REPORTED, game, agent), (game, agent)
        assert row["the paper's own"] == mean_of(REPORTED, game, OURS, "published"), game
        assert row["the paper's PPO"] == mean_of(REPORTED, game, "ppo", "published"), game


def test_the_page_shows_the_means_against_bots_that_learned_by_game() -> None:
    scenarios = {scenario for scenario, _ in REPORTED_LEARNED}
    for row, game in zip(means_shown(LEARNED), WITH_PUPPETS, strict=True):
        assert row["scenarios"] == str(sum(fnmatch(scenario, game) for scenario in scenarios))
        for agent in AGENTS:
            assert row[agent] == mean_of(REPORTED_LEARNED, game, agent), (game, agent)


def test_the_page_counts_the_scenarios_in_which_the_agent_reaches_four_fifths_of_the_ceiling() -> None:
    paper = [scenario for scenario in SCENARIOS if "unseen" not in scenario]
    reached = sum(earned(scenario, OURS) >= 0.8 * earned(scenario, "oracle") for scenario in paper)
    found = re.search(rf"`{OURS}` reaches 80% of `oracle` in (\d+)", " ".join(RESULTS.split()))
    assert found is not None
    assert int(found[1]) == reached


def by_seed() -> Mapping[tuple[str, str], Mapping[str, float]]:
    """The metric of each episode by its seed, by scenario and agent."""
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    with (ROOT / "benchmarks/results/episodes.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found[row["scenario"], row["agent"]][row["seed"]] = float(row["value"])
    return found


def test_the_likeliest_difference_to_react_is_told_with_what_six_tests_leave_of_it() -> None:
    values = by_seed()

    def differences(game: str) -> Sequence[float]:
        """The mean of the paired differences in each scenario of a game."""
        return [
            mean(value - values[scenario, "react"][seed] for seed, value in values[scenario, OURS].items())
            for scenario in SCENARIOS
            if fnmatch(scenario, game)
        ]

    alone, game = min((ttest_1samp(differences(game), 0).pvalue, game) for game in GAMES)
    assert game == "pd_repeated_*"
    ranked = wilcoxon(differences(game)).pvalue
    told = [f"p = {alone:.3f}", f"{6 * alone:.2f} after Bonferroni", f"{ranked:.2f} by Wilcoxon's test"]
    told[0] = told[0].replace("0.", ".", 1)
    told[1:] = [words.removeprefix("0") for words in told[1:]]
    for page in (README, RESULTS):
        assert ", ".join([f"{told[0]} by itself", *told[1:]]) in " ".join(page.split())


def test_the_share_of_the_ceiling_is_told_with_its_range() -> None:
    values, rng = by_seed(), np.random.default_rng(0)
    paper = [scenario for scenario in SCENARIOS if "unseen" not in scenario]

    def resampled(agent: str) -> npt.NDArray[np.float64]:
        """(10,000, scenarios): means over resampled episodes."""
        episodes = np.array([list(values[scenario, agent].values()) for scenario in paper])
        drawn = rng.integers(0, episodes.shape[1], (10_000, *episodes.shape))
        return np.asarray(np.take_along_axis(episodes[None], drawn, 2).mean(2))

    ours, ceiling = resampled(OURS), resampled("oracle")
    low, high = np.percentile((ours >= 0.8 * ceiling).sum(1), (2.5, 97.5))
    surely = int((np.percentile(ours / ceiling, 2.5, axis=0) >= 0.8).sum())
    page = " ".join(RESULTS.split())
    assert f"Resampling the episodes gives {low:.0f} to {high:.0f} (95%)" in page
    assert f"in {surely} scenarios the lower bound of the share is 80% or more" in page


ADAPTING = {
    "Running With Scissors, two": "Running With Scissors, repeated",
    "... eight players": "Running With Scissors, arena",
    "Prisoner's Dilemma": "Prisoner's Dilemma, repeated",
}
"""The games of the table of adaptation, but for the unseen opponents, and the report's names for them."""


@pytest.mark.parametrize("game", ADAPTING)
def test_the_page_shows_adaptation_as_the_report_does(game: str) -> None:
    section = RESULTS.partition("\n## Adaptation\n")[2].partition("\n## ")[0]
    (shown,) = (cells for _, cells in rows_of_tables(section) if cells[0] == game)
    rows = [dict(zip(columns, cells, strict=True)) for columns, cells in rows_of_tables(REPORT) if "first 5" in columns]
    reported = {row["agent"]: row for row in rows if row["group"] == ADAPTING[game]}
    shares = ("first 5, of the ceiling's", "later, of the ceiling's")
    assert shown[1:] == [reported[agent][share] for agent in (OURS, "hm_joint", "react") for share in shares]


def kept_cards(board: str) -> Mapping[tuple[str, bool], Mapping[str, str]]:
    """The orders of a leaderboard in the pages' words, by world; by agent and whether the model is the small one."""
    rows = rows_of_tables((ROOT / "benchmarks/results/cards" / board).read_text("utf-8"))
    return {
        (cells[0], "smollm2" in cells[1]): {
            world: re.sub(r"^-$", "does not play", re.sub(r"(\S+) \(\1 to \1\)", r"\1", cell).replace("*", ", below"))
            for world, cell in zip(columns, cells, strict=True)
        }
        for columns, cells in rows
    }


@pytest.mark.parametrize("page", [README, CARDS], ids=["README", "cards"])
def test_a_page_shows_the_orders_of_the_kept_cards(page: str) -> None:
    full, small = kept_cards("leaderboard.md"), kept_cards("small/leaderboard.md")
    shown = [row for row in rows_of_tables(page) if row[0][0] == "agent" and "Matrix games" in row[0]]
    for (_, *worlds), (agent, *orders) in shown:
        board = small if "small" in agent or "SmolLM2" in agent else full
        (name,) = {name for name, _ in board if name in agent}
        kept = board[name, "SmolLM2" in agent]
        assert orders == [kept.get(world, "not played") for world in worlds], agent
    assert len(shown) > len(full)
