"""Whether text environments teach: a small policy learns by texts and rewards alone, and is judged on held-out seeds.

`python -m benchmarks text_learning` prints the table, and writes the curves to benchmarks/results/text_learning.
"""

from __future__ import annotations

import csv
import io
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.matrix_games import optimum
from hm_agent.learning.text_policy import ChosenReply, Cues, Reading, TextPolicy, play_episode
from hm_agent.reporting.drawing import COLOURS, FigureFiles, drawn_file
from hm_agent.reporting.statistics import Interval, t_interval
from hm_agent.storage.files import write_whole
from hm_agent.text_env import TextEnv, text_env
from hm_agent.worlds.matrix_games.settings import table_scenarios

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = Path("benchmarks/results/text_learning")
RUNS, UPDATES, HELD_OUT = range(3), 30, range(1_000_000, 1_000_020)
"""The runs, the updates of each, and the seeds that nobody learns from."""
HEIGHT, WIDTH = 210, 250
"""Of a panel, in points."""

Measures = Mapping[str, float]
"""The mean reward of a reply by the kind of observation that it replied to; `all` of all replies."""


def read_round(text: str) -> Cues:
    """Each action, with the last round as its only cue."""
    actions = re.findall(r"^- (\w+): ", text, re.MULTILINE)
    last = re.findall(r"^\d+ (\w+ - \w+)$", text, re.MULTILINE)[-1:] or ["the beginning"]
    return {f"play({action})": [f"{action} after {last[0]}"] for action in actions}


def read_question(text: str) -> Cues:
    """Each answer, with where the story names it, for the kind of question.

    The cues are whether it is named at all, and whether first or last of the answers: in the whole story, before a
    person of the question leaves, and before what the question quotes. Which of them is right for which kind, if any,
    is left to be learned.
    """
    story, question, offered = _parts(text)
    answers = re.findall('"([^"]+)"', offered)
    asked, _, quoted = question.rstrip("?").partition(" before ")
    kind = " ".join(re.findall(r"\b(?:room|container|was|is|beginning|will|think)\b", asked))
    people = [name for name in re.findall(r"\b[A-Z]\w+", asked) if f"{name} entered" in story]
    parts = {"of all": story} | {f"before {number} leaves": _until(story, name) for number, name in enumerate(people)}
    parts |= {"before what is quoted": story.partition(quoted)[0]} if quoted else {}
    cues = {answer: [f"{kind}: {'named' if answer in story else 'unnamed'}"] for answer in answers}
    for name, part in parts.items():
        if named := [answer for answer in answers if answer in part]:
            cues[min(named, key=part.index)].append(f"{kind}: first {name}")
            cues[max(named, key=part.rindex)].append(f"{kind}: last {name}")
    return cues


def _parts(text: str) -> tuple[str, str, str]:
    """The story, the question and the answers that it offers."""
    found = re.search(r"# The story\n(.*?)\n\n.*# The question\n(.*?)\nChoose one: (.*?)\.\n", text, re.DOTALL)
    assert found, text
    return found[1], found[2], found[3]


def _until(story: str, name: str) -> str:
    """The story up to where someone leaves for the first time; all of it if they stay."""
    return story.partition(f"\n{name} left ")[0]


def order(cues: Cues) -> str:
    """The kind of a question, by how many minds it is about."""
    kind = next(iter(cues.values()))[0]
    return "order 2" if "think" in kind else "order 1" if "will" in kind else "order 0"


@dataclass(frozen=True)
class Task:
    """A scenario to learn.

    discount: of later rewards. learning_rate, episodes: of an update. kind: of an observation, to judge each apart.
    """

    scenario: str
    read: Reading
    discount: float = 0.9
    learning_rate: float = 3.0
    episodes: int = 4
    kind: Callable[[Cues], str] = lambda _: "all"

    def judge(self, env: TextEnv, choose: Callable[[Cues], str]) -> Measures:
        """What is earned for a reply on the held-out seeds."""
        choices = [choice for seed in HELD_OUT for choice in play_episode(env, seed, self.read, choose)]
        kinds = {self.kind(choice.cues) for choice in choices} | {"all"}
        return {kind: mean_reward([one for one in choices if kind in (self.kind(one.cues), "all")]) for kind in kinds}


TASKS = (
    Task("mg_rps_pure", read_round),
    Task("mg_rps_counter", read_round),
    Task("mg_pd_tit_for_tat", read_round),
    Task("exploretom_a1", read_question, 0.0, 1.0, 12, order),
)


def mean_reward(choices: Sequence[ChosenReply]) -> float:
    return fmean(choice.reward for choice in choices)


def trained(task: Task, env: TextEnv, run: int) -> tuple[TextPolicy, list[float]]:
    """A policy that has learned, and the mean reward of a reply in each update's episodes, before the update."""
    policy, rng, curve = TextPolicy(task.learning_rate), Random(f"{task.scenario} {run}"), list[float]()
    for update in range(UPDATES):
        first = (run * UPDATES + update) * task.episodes
        episodes = [
            play_episode(env, seed, task.read, lambda cues: policy.draw(cues, rng))
            for seed in range(first, first + task.episodes)
        ]
        curve.append(mean_reward([choice for episode in episodes for choice in episode]))
        policy.learn(episodes, task.discount)
    return policy, curve


def floors(task: Task, env: TextEnv) -> Mapping[str, Measures]:
    """What is earned without learning: by chance, and by the answer that the story names last."""
    rng = Random(task.scenario)
    rules: dict[str, Callable[[Cues], str]] = {"random": lambda cues: rng.choice(list(cues))}
    if task.read is read_question:
        rules["named last"] = lambda cues: max(cues, key=lambda reply: any("last of all" in cue for cue in cues[reply]))
    return {name: task.judge(env, choose) for name, choose in rules.items()}


def interval(values: Sequence[float]) -> Interval:
    """The 95% interval of the mean over runs; three are few, so it is wide."""
    found = t_interval(values, episodes=len(HELD_OUT))
    assert found, "one run has no interval"
    return found


def rows(task: Task) -> tuple[list[str], list[list[float]]]:
    """The lines of the table for a task, and the curve of each run."""
    with text_env(task.scenario) as env:
        without = floors(task, env)
        outcomes = [trained(task, env, run) for run in RUNS]
        judged = [task.judge(env, policy.best) for policy, _ in outcomes]
    known = table_scenarios().get(task.scenario)
    best = optimum(known) if known else 1.0
    lines = []
    for kind in sorted(judged[0]):
        values = [measures[kind] for measures in judged]
        low, high = interval(values)
        shown = [f"{without[name][kind]:.2f}" if name in without else "-" for name in ("random", "named last")]
        runs = ", ".join(f"{value:.2f}" for value in values)
        lines.append(
            f"| {task.scenario} | {kind} | {' | '.join(shown)} | {runs} | {fmean(values):.2f} ({low:.2f} to {high:.2f})"
            f" | {best:.2f} |"
        )
    return lines, [curve for _, curve in outcomes]


def as_csv(curves: Mapping[str, Sequence[Sequence[float]]]) -> str:
    """By scenario and update, the mean reward of a reply in each run, their mean and its 95% interval."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["scenario", "update", *(f"run_{run}" for run in RUNS), "mean", "low", "high"])
    for scenario, runs in curves.items():
        for update, values in enumerate(zip(*runs, strict=True)):
            numbers = (*values, fmean(values), *interval(values))
            table.writerow([scenario, update, *(f"{number:.4f}" for number in numbers)])
    return text.getvalue()


def picture(curves: Mapping[str, Sequence[Sequence[float]]]) -> bytes:
    """A panel for each scenario: the mean over runs, its 95% interval and each run, as PNG."""

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, len(curves), squeeze=False).flat
        for axes, (scenario, runs) in zip(panels, curves.items(), strict=True):
            by_update = list(zip(*runs, strict=True))
            low, high = zip(*map(interval, by_update), strict=True)
            axes.fill_between(range(UPDATES), low, high, color=COLOURS[0], alpha=0.2, linewidth=0)
            for run in runs:
                axes.plot(run, color=COLOURS[0], alpha=0.4, linewidth=0.8)
            axes.plot([fmean(values) for values in by_update], color=COLOURS[0])
            axes.set_title(scenario)
            axes.set_xlabel("updates")
        figure.supylabel("mean reward of a reply")

    return drawn_file(FigureFiles("png"), len(curves) * WIDTH, HEIGHT, paint)


def main() -> None:
    began, lines = time.process_time(), list[str]()
    curves: dict[str, Sequence[Sequence[float]]] = {}
    print("| scenario | replies | random | named last | learned, by run | learned, mean | best |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for task in TASKS:
        lines, curves[task.scenario] = rows(task)
        print("\n".join(lines), flush=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_whole(FOLDER / "curves.csv", as_csv(curves))
    write_whole(FOLDER / "curves.png", picture(curves))
    print(f"\n{time.process_time() - began:.0f} seconds of processor time")
