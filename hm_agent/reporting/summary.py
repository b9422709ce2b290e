"""`summary.md` and `summary.json`: all episodes of a folder in one table, from their results alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from statistics import mean, stdev

from hm_agent.asking import Usage
from hm_agent.config import all_scenarios
from hm_agent.recording.result import FILE, Result, read_result

HEADINGS = (
    "scenario",
    "agent",
    "model",
    "bots",
    "episodes",
    "reward",
    "interactions",
    "the paper's",
    "calls",
    "input tokens",
    "output tokens",
    "cost, USD",
    "unanswered",
)


@dataclass(frozen=True)
class Row:
    """All episodes of one agent on one scenario. Means are over the finished ones.

    sem: the standard error of the mean, None for fewer than two. paper: (mean, standard error) of the paper's
    Hypothetical Minds with GPT-4 against trained bots. usage: of all episodes together.
    """

    scenario: str
    agent: str
    model: str
    bots: str
    episodes: int
    finished: int
    normalised_reward: float | None
    sem: float | None
    interactions: float | None
    paper: tuple[float, float] | None
    usage: Usage

    def cells(self) -> tuple[str, ...]:
        played = str(self.episodes) if self.finished == self.episodes else f"{self.finished} of {self.episodes}"
        return (
            self.scenario,
            self.agent,
            self.model,
            self.bots,
            played,
            _with_error(self.normalised_reward, self.sem),
            "-" if self.interactions is None else f"{self.interactions:.1f}",
            _with_error(*self.paper) if self.paper else "-",
            str(self.usage.calls),
            _number(self.usage.input_tokens, ""),
            _number(self.usage.output_tokens, ""),
            _number(self.usage.cost, ".4f"),
            f"{self.usage.unanswered} of {self.usage.questions}",
        )


def _number(value: float | None, form: str) -> str:
    return "unknown" if value is None else format(value, form)


def _with_error(value: float | None, error: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if error is None else f"{value:.1f} ± {error:.1f}"


def read_results(out: Path) -> list[Result]:
    """All results below a folder, by path; files that are none are passed over."""
    found = (read_result(path) for path in sorted(out.glob(f"*/*/*/*/{FILE}")))
    return [result for result in found if result is not None]


def tabulate(results: Iterable[Result]) -> list[Row]:
    """One row for each scenario, agent, model and kind of bots, in this order."""
    known = {scenario.name: scenario for scenario in all_scenarios()}
    ordered = sorted(results, key=_key)
    rows = []
    for (name, agent, model, bots), group in groupby(ordered, key=_key):
        scenario = known.get(name)
        paper = scenario.facts.paper.get("hypothetical_minds") if scenario else None
        short = scenario.short_name if scenario else name
        rows.append(_row(short, agent, model, bots, list(group), paper))
    return rows


def _key(result: Result) -> tuple[str, str, str, str]:
    return result.scenario, result.agent, result.model, result.bots


def _row(
    scenario: str, agent: str, model: str, bots: str, group: Sequence[Result], paper: tuple[float, float] | None
) -> Row:
    finished = [result for result in group if result.is_finished]
    rewards = [r.normalised_reward for r in finished if r.normalised_reward is not None]
    return Row(
        scenario=scenario,
        agent=agent,
        model=model,
        bots=bots,
        episodes=len(group),
        finished=len(finished),
        normalised_reward=mean(rewards) if rewards else None,
        sem=stdev(rewards) / len(rewards) ** 0.5 if len(rewards) > 1 else None,
        interactions=mean(result.interactions for result in finished) if finished else None,
        paper=paper,
        usage=sum((result.usage for result in group), Usage()),
    )


def write_summary(out: Path) -> list[Row]:
    """Writes both files anew from the results below `out`, and returns their rows."""
    results = read_results(out)
    rows = tabulate(results)
    (out / "summary.md").write_text(_markdown(rows), "utf-8")
    content = {"rows": [asdict(row) for row in rows], "episodes": [asdict(result) for result in results]}
    (out / "summary.json").write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    return rows


def _markdown(rows: Sequence[Row]) -> str:
    lines = [HEADINGS, tuple("---" for _ in HEADINGS), *(row.cells() for row in rows)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    said = "\n".join(f"- {note}" for note in notes(rows))
    return f"# Summary\n\n{table}\n\n{said}\n"


def notes(rows: Sequence[Row]) -> list[str]:
    """What the figures can't say themselves."""
    said = [
        "Reward per 1,200 steps, in kitchens per episode: mean ± standard error over n episodes.",
        "The paper: its table 1, GPT-4 against trained bots.",
    ]
    if any(row.bots == "scripted" for row in rows):
        said.append("The bots are scripted: they stand in for Melting Pot's trained ones.")
    if any(row.model == "builtin" for row in rows):
        said.append("The model `builtin` calculates: no language model was involved.")
    return said
