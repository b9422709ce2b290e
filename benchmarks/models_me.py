"""Opponents of Melting Pot who model the agent: what shortcuts, the ladder and language agents earn, clues on and off.

`python -m benchmarks.models_me 3 FOLDER` plays 3 episodes a scenario and agent, keeps them in a folder and goes on
where it was stopped. A scenario needs the least order of the ladder that comes 80% of the way from the best shortcut
to `oracle`, where all lower ones stay below 40%. `oracle` and the shortcuts but `eyes` take no note of clues and are
played once; `hypothetical_minds` asks the reasoner with all of its rules, and so is the ladder's order 2.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean

from benchmarks.playing import rows_of
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.experiment import Experiment
from hm_agent.worlds.matrix_games.needs import in_words, needed_order
from hm_agent.worlds.melting_pot.own_agents import SHORTCUTS

GLOBS = ("rws_models_me_*", "chicken_models_me_*")
CEILING = "oracle"
LADDER = ("order_0", "order_1", "hypothetical_minds")
ASKING = ("react", "hypothetical_minds", "hm_joint", "hm_odds")
BLIND = (CEILING, *(name for name in SHORTCUTS if name not in ("eyes", "constant_2")))
SEEING = ("eyes", *dict.fromkeys((*LADDER, *ASKING)))
LEAST_SCALE = 0.2
"""Below this share of what the ceiling earns beyond the best shortcut, a scenario separates nobody."""

STEPS = 800
"""All episodes are cut here, which agents know."""

Earned = Mapping[str, float]
"""The mean reward by agent."""


def played(agents: Sequence[str], clues: str, episodes: int, folder: Path) -> Mapping[str, Earned]:
    """What these agents earn, by scenario."""
    scenarios, options = find_scenarios(GLOBS), {"bots": "scripted", "clues": clues}
    experiment = Experiment(
        scenarios, tuple(agents), episodes=episodes, out=folder / clues, options=options, max_steps=STEPS, workers=2
    )
    earned: dict[str, dict[str, float]] = {scenario.short_name: {} for scenario in scenarios}
    for row in rows_of(experiment):
        if row.mean is not None and row.condition.agent in agents:
            earned[row.scenario.short_name][row.condition.agent] = row.mean
    return earned


def needed(earned: Earned) -> str:
    """The order that a scenario needs, or `none`; `nobody` if the best shortcut is nearly as good as the ceiling."""
    floor, ceiling = earned[best_shortcut(earned)], earned[CEILING]
    if ceiling - floor < LEAST_SCALE * abs(ceiling):
        return "separates nobody"
    return in_words(needed_order((earned[agent] - floor) / (ceiling - floor) for agent in LADDER))


def best_shortcut(earned: Earned) -> str:
    return max((name for name in SHORTCUTS if name in earned), key=earned.__getitem__)


def line(scenario: ScenarioInfo, clues: str, earned: Earned) -> str:
    best = best_shortcut(earned)
    agents = (*dict.fromkeys((*LADDER, *ASKING)), CEILING)
    cells = [
        f"`{scenario.short_name}`",
        "yes" if scenario.held_out else "no",
        clues,
        f"{earned[best]:.1f} `{best}`",
        *(f"{earned[agent]:.1f}" for agent in agents),
        needed(earned),
    ]
    return f"| {' | '.join(cells)} |"


def mean_line(title: str, of: Sequence[Earned]) -> str:
    agents = (*dict.fromkeys((*LADDER, *ASKING)), CEILING)
    best = mean(earned[best_shortcut(earned)] for earned in of)
    cells = [f"{best:.1f}", *(f"{mean(earned[agent] for earned in of):.1f}" for agent in agents)]
    return f"| **{title}** | | | {' | '.join(cells)} | |"


def main(episodes: int = 3, *, folder: Path) -> None:
    once = played(BLIND, "on", episodes, folder)
    agents = (*dict.fromkeys((*LADDER, *ASKING)), CEILING)
    print(f"| scenario | held out | clues | best shortcut | {' | '.join(f'`{agent}`' for agent in agents)} | needs |")
    print("| --- " * (5 + len(agents)) + "|")
    for clues in ("on", "off"):
        seeing = played(SEEING, clues, episodes, folder)
        both = {name: {**once[name], **seeing[name]} for name in once}
        infos = {scenario.short_name: scenario for scenario in find_scenarios(GLOBS)}
        for name, earned in both.items():
            print(line(infos[name], clues, earned), flush=True)
        for is_held_out in (False, True):
            half = [earned for name, earned in both.items() if infos[name].held_out == is_held_out]
            print(mean_line(f"{'held out' if is_held_out else 'other half'}, clues {clues}", half), flush=True)


if __name__ == "__main__":
    _, *given = sys.argv
    main(*[int(number) for number in given[:1]], folder=Path(*given[1:2] or ["runs/models_me"]))
