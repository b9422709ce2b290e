"""SymmToM's tables of the kinds that the paper has: rewards, tests of mind, what goes wrong.

`python -m benchmarks.symmtom_report OUT SIMPLE PLANNED LANGUAGE TRIALS` writes tables.md and metrics.csv into the
folder OUT, by default benchmarks/results/symmtom: from self-play over SIMPLE episodes of agents that plan nothing or
were trained, PLANNED of planners and LANGUAGE of a language agent with the built-in reasoner, and from TRIALS trials of
each test of mind (four times as many of the probabilistic one).
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean, stdev

import numpy as np

from benchmarks.symmtom import JUDGED, judged, judged_words, with_error
from hm_agent.catalogue.registry import scenario_named
from hm_agent.storage.files import write_whole
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.wording import markdown_table
from hm_agent.worlds.symmtom.agents import POLICIES
from hm_agent.worlds.symmtom.language.literal import BITS
from hm_agent.worlds.symmtom.learning.algorithms import ALGORITHMS
from hm_agent.worlds.symmtom.learning.checkpoints import SHIPPED, load
from hm_agent.worlds.symmtom.learning.trained_policy import TrainedPolicy
from hm_agent.worlds.symmtom.metrics import (
    RECHARGES,
    REWARD,
    UNKNOWN_PIECES_SAID,
    USELESS_MOVES,
    USELESS_PIECES_SAID,
    WRONG_BASE_USES,
)
from hm_agent.worlds.symmtom.mind_facts import mind_tests
from hm_agent.worlds.symmtom.policies.policy import Policy
from hm_agent.worlds.symmtom.selfplay import measure
from hm_agent.worlds.symmtom.settings import GameSettings, PaperSetting, paper_settings

OUT, SIMPLE, PLANNED, LANGUAGE, TRIALS = "benchmarks/results/symmtom", 200, 40, 40, 24
BATCH = 100
SPOKEN = "hypothetical_minds"
"""The language agent, whose questions the built-in reasoner answers."""
LITERAL = 10
"""The number of steps of an episode at which it is asked what others know."""
FIRST_SEED = 9000

TABLES = {
    WRONG_BASE_USES: (
        "Wrong use of the base (the paper's table 4)",
        "RMADDPG 41% above MADDPG-Oracle on average; MADDPG-CE and -GE about as MADDPG-Oracle.",
    ),
    UNKNOWN_PIECES_SAID: (
        "Unknown pieces said (the paper's table 5)",
        "MADDPG-CE 49% and MADDPG-GE 53% above MADDPG-Oracle on average.",
    ),
    USELESS_PIECES_SAID: (
        "Useless pieces said when a useful one existed (the paper's table 6)",
        "RMADDPG 64% above MADDPG-Oracle on average; MADDPG-CE and -GE about as MADDPG-Oracle.",
    ),
    USELESS_MOVES: (
        "Moves away from all who could inform (the paper's table 7)",
        "all learners within 15% of each other on average.",
    ),
    RECHARGES: ("Recharges (ours)", "nothing of these."),
}
"""By metric: the title of its table, and what the text of the paper says about it."""
MIND_TESTS = """The paper's text says of its table 2: MADDPG-GE moves optimally in 75% of the trials of order 2, and
the best of its untrained agents in 33%; the best success in the probabilistic test is 71%; MADDPG-Oracle always fails
order 0 with w = 6; no model passes the tests of orders 0 and 1 with w = 12. Its boards are not identical to ours."""

TRAINED = """`ippo`, the `maddpg` family and `rmaddpg` are of one training seed in each setting; their standard errors
are over episodes and do not include the variation of training."""


@dataclass(frozen=True)
class AgentRow:
    """One agent in one setting. values: by metric, for each episode the mean over agents."""

    setting: PaperSetting
    agent: str
    values: Mapping[str, Sequence[float]]

    def cell(self, metric: str, digits: int = 2) -> str:
        return with_error(self.values[metric], digits)


def by_policy(settings: GameSettings, build: Callable[[], Policy], episodes: int) -> Mapping[str, Sequence[float]]:
    seeds = np.arange(FIRST_SEED, FIRST_SEED + episodes, dtype=np.uint32)
    parts = [measure(settings, build, batch) for batch in np.array_split(seeds, max(1, episodes // BATCH))]
    return {name: np.concatenate([part[name] for part in parts]).mean(1).tolist() for name in parts[0]}


def by_language(settings: GameSettings, episodes: int) -> Mapping[str, Sequence[float]]:
    """The metrics of the language agent, with the literal question, by episode."""
    scenario, episodes_metrics = scenario_named(settings.name), []
    for seed in range(FIRST_SEED, FIRST_SEED + episodes):
        world, agents = set_up(scenario, SPOKEN, seed=seed, literal=str(LITERAL))
        play_out(world, agents, seed=seed)
        seats = [{**world.seat_metrics(seat), **agents[seat].metrics()} for seat in scenario.seats]
        episodes_metrics.append({name: mean(seat[name] for seat in seats) for name in seats[0]})
    return {name: [metrics[name] for metrics in episodes_metrics] for name in episodes_metrics[0]}


def rows_of(simple: int, planned: int, language: int) -> Iterator[AgentRow]:
    """Measures one agent after the other in all settings; those that take long come last."""
    settings = paper_settings()
    for agent in ("random", "heuristic"):
        for setting in settings:
            yield AgentRow(setting, agent, by_policy(setting.game, POLICIES[agent], simple))
    for setting in settings:
        for path in sorted(SHIPPED.glob(f"{setting.game.name}_*.npz")):
            build = partial(TrainedPolicy, load(path)[0])
            algorithm = path.stem.removeprefix(f"{setting.game.name}_")
            yield AgentRow(setting, algorithm, by_policy(setting.game, build, simple))
    for setting in settings:
        yield AgentRow(setting, SPOKEN, by_language(setting.game, language))
    for agent in ("k_ce", "k_ge", "k_oracle"):
        for setting in settings:
            yield AgentRow(setting, agent, by_policy(setting.game, POLICIES[agent], planned))


def table(rows: Sequence[AgentRow], metric: str, digits: int = 2) -> str:
    """A row for each setting, a column for each agent."""
    cells = {(row.setting.game.name, row.agent): row.cell(metric, digits) for row in reversed(rows)}
    names, agents = (each.game.name for each in paper_settings()), list(dict.fromkeys(row.agent for row in rows))
    shown = ([name, *(cells.get((name, agent), "-") for agent in agents)] for name in names)
    return markdown_table(["setting", *agents], shown)


def literal_table(rows: Sequence[AgentRow]) -> str:
    heuristic = {row.setting.game.name: row.values[REWARD] for row in rows if row.agent == "heuristic"}
    lines = []
    for row in (row for row in rows if row.agent == SPOKEN):
        yes, right, notes = (row.values[f"literal_{name}"] for name in ("true", "right", "by_notes"))
        no, always = [1 - share for share in yes], yes if mean(yes) > 0.5 else [1 - share for share in yes]
        name, rewards = row.setting.game.name, row.values[REWARD]
        more = [one - other for one, other in zip(rewards, heuristic[name], strict=False)]
        shares = (with_error(share, 3) for share in (right, yes, no, always, notes))
        lines.append([name, *shares, with_error(more, 1, "+")])
    judged_by = ("said rightly", "always yes", "always no", "majority", "by its notes")
    return markdown_table(["setting", *judged_by, "reward above the heuristic's"], lines)


def mind_table(trials: int) -> str:
    """A row for each agent, a column for each test. Trained agents take only tests of a size they were trained on."""
    trained = [name for name in ALGORITHMS if any(SHIPPED.glob(f"*_{name}.npz"))]
    return markdown_table(
        ["agent", *(name.removeprefix("symmtom_test_") for name in mind_tests())],
        (
            [agent, *(judged(name, agent, trials) if _can_sit(agent, name) else "-" for name in mind_tests())]
            for agent in (*JUDGED, SPOKEN, "react", *trained)
        ),
    )


def _can_sit(agent: str, test: str) -> bool:
    size = mind_tests()[test].settings.name
    return agent not in ALGORITHMS or (SHIPPED / f"{size}_{agent}.npz").exists()


def as_csv(rows: Sequence[AgentRow]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["scenario", "agent", "metric", "episodes", "mean", "error"])
    for row in rows:
        for metric, values in row.values.items():
            error = f"{stdev(values) / len(values) ** 0.5:.4f}" if len(values) > 1 else ""
            writer.writerow([row.setting.game.name, row.agent, metric, len(values), f"{mean(values):.4f}", error])
    return text.getvalue()


def introduction(out: str, simple: int, planned: int, language: int, trials: int) -> str:
    return f"""Written by `python -m benchmarks.symmtom_report {out} {simple} {planned} {language} {trials}`.
Self-play, means per agent and episode ± standard error over episodes: {simple:,} of agents that plan nothing or were
trained, {planned:,} of planners, {language:,} of `{SPOKEN}`, whose questions the built-in reasoner answers: it is no
language model. All play the boards of the seeds from {FIRST_SEED} on, so agents with fewer episodes play the first of
the same boards.

The numbers of the paper's tables 1, 2 and 4 to 7 are not at hand, only what its text says about them, all of it about
MADDPG learners. That is given with each table."""


def literal_words() -> str:
    return f"""At {LITERAL} steps of an episode each `{SPOKEN}` is asked whether {BITS} bits of K are true
(`--literal={LITERAL}`), none of which follows from first-hand knowledge. Beside the share of its right answers are
those of always saying yes, of always saying no, of the better of both over all episodes, and of the agent's own notes
(K with greedy encounters). The difference of its reward from the heuristic's is paired by episode, ± standard error."""


def main(
    out: str = OUT, simple: int = SIMPLE, planned: int = PLANNED, language: int = LANGUAGE, trials: int = TRIALS
) -> None:
    folder, rows, minds = Path(out), list[AgentRow](), "Not yet."
    folder.mkdir(parents=True, exist_ok=True)
    about = introduction(out, simple, planned, language, trials)
    for row in rows_of(simple, planned, language):
        print(row.setting.game.name, row.agent, row.cell(REWARD, 1), flush=True)
        rows.append(row)
        write_tables(folder, about, rows, minds)
    write_tables(folder, about, rows, f"{judged_words(trials)}\n\n{mind_table(trials)}\n{TRAINED}")


def write_tables(folder: Path, about: str, rows: Sequence[AgentRow], minds: str) -> None:
    """Writes the tables of the rows so far, so that an interrupted run leaves them."""
    parts = ["# SymmToM's tables", about]
    parts += ["## Reward (as in the paper's table 1)", table(rows, REWARD, 1), TRAINED]
    for metric, (title, said) in TABLES.items():
        parts += [f"## {title}", f"The paper's text says: {said}", table(rows, metric), TRAINED]
    parts += ["## Literal and functional", literal_words(), literal_table(rows)]
    parts += ["## Tests of mind (the paper's table 2)", MIND_TESTS, minds]
    write_whole(folder / "tables.md", "\n\n".join(part.rstrip() for part in parts) + "\n")
    write_whole(folder / "metrics.csv", as_csv(rows))


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:]))  # type: ignore[arg-type]  # the first is a folder
