"""`hm-agent prompts`: writes the templates of all prompts for editing, or shows the prompts of an agent's episode."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from hm_agent.agents.agent import Recipe
from hm_agent.catalogue.finding import find_agent, find_scenario
from hm_agent.catalogue.registry import register_scenarios, shared_agent
from hm_agent.config import ConfigError, check_folder, data_folder
from hm_agent.core import Recorder, Step
from hm_agent.experiment import Experiment
from hm_agent.experiment.planned_episode import Episode
from hm_agent.extensions import is_place
from hm_agent.flags.parsing import argument_parser
from hm_agent.models.canned import PLACE
from hm_agent.models.prompts import register_prompts, render, template_names, template_text
from hm_agent.models.settings import BUILTIN, ModelSettings
from hm_agent.pool.run import run_aside
from hm_agent.process.exit_status import FAILED, complain
from hm_agent.process.shell import printable
from hm_agent.storage.files import write_whole

ABOUT = """Writes the templates of all prompts into a folder, or shows every prompt of an agent's first episode.

    hm-agent prompts export my_prompts
    hm-agent play --scenario=rws_repeated_1 --prompts_dir=my_prompts --model=gpt-4o --out=runs/mine
    hm-agent prompts show react rws_repeated_1 --prompts_dir=my_prompts

A folder of --prompts_dir needs only the templates that it changes. Results record a hash of each template that their
prompts were rendered from: results with other prompts are another condition. `show` asks no model: the built-in
reasoner answers, and to questions of your own one without a mind."""


def prompts_command(arguments: Sequence[str]) -> int:
    """`hm-agent prompts export DIR` or `show AGENT SCENARIO`; returns the exit status."""
    parser = argument_parser("prompts", ABOUT)
    actions = parser.add_subparsers(required=True, metavar="export | show")
    export = actions.add_parser("export", help="write all templates into a folder, for editing")
    export.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder")
    export.set_defaults(act=_export)
    show = actions.add_parser("show", help="print every prompt of an agent's first episode")
    show.add_argument("agent", metavar="AGENT")
    show.add_argument("scenario", metavar="SCENARIO")
    show.add_argument("--max_steps", type=int, help="cut the episode after so many steps")
    show.add_argument("--prompts_dir", type=Path, action="append", default=[], help="a folder with your own templates")
    show.add_argument("--scenarios_dir", type=Path, action="append", default=[], help="a folder with your own games")
    show.set_defaults(act=_show)
    options = parser.parse_args(arguments)
    status: int = options.act(options)
    return status


def _export(options: argparse.Namespace) -> int:
    folder: Path = options.folder
    check_folder("DIR", folder)
    if folder.is_dir() and any(folder.iterdir()):
        raise ConfigError(f"{folder} is not empty: name a new folder, so that nothing is overwritten")
    names = template_names(data_folder("prompts"))
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, template_text(name).encode())
    print(f"{len(names)} templates: {folder}. Keep those that you change, and play with --prompts_dir={folder}")
    return 0


def _show(options: argparse.Namespace) -> int:
    for folder in options.scenarios_dir:
        register_scenarios(folder)
    for folder in options.prompts_dir:
        register_prompts(folder)
    scenario, agent, shown = find_scenario(options.scenario, {}), find_agent(options.agent), list[str]()
    is_own_code = is_place(agent) and not isinstance(shared_agent(agent), Recipe)
    experiment = Experiment(
        (scenario,),
        agents=(agent,),
        model=ModelSettings(PLACE if is_own_code else BUILTIN),
        record_replay=False,
        max_steps=options.max_steps,
        recorders=(lambda episode: _PromptRecorder(episode, shown),),
    )
    result = run_aside(experiment)
    print("\n\n".join(shown))
    if not result.is_finished:
        return complain("hm-agent prompts", f"the episode ended early: {result.short_reason}", FAILED)
    if not shown:
        return complain("hm-agent prompts", f"{options.agent} asks nothing in this episode", FAILED)
    return 0


class _PromptRecorder(Recorder):
    """Renders every question of an episode, in the order in which they were asked."""

    def __init__(self, episode: Episode, shown: list[str]) -> None:
        self._seats, self._shown = episode.scenario.seats, shown

    def record(self, step: Step) -> None:
        for seat, decision in step.decisions.items():
            for exchange in decision.exchanges:
                whose = f", {seat}" if len(self._seats) > 1 else ""
                title = f"=== {exchange.question.asked_as}, step {step.turn.step}{whose} ==="
                self._shown.append(f"{title}\n{printable(render(exchange.question))}")
