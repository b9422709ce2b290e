"""SymmToM played by language agents with the built-in reasoner: rewards, questions, tokens, and their notes.

Self-play, 40 episodes a row, the same for all agents. Tokens are characters / 4 of the prompts that a language model
would be sent. The second table compares the recharges of others that agents note with the true ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev

from benchmarks.tokens import CountingReasoner
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.core import Seat, Step
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.symmtom.language.notebook import Notebook
from hm_agent.worlds.symmtom.views import BoardScene

AGENTS = ("random", "heuristic", "k_ge", "hypothetical_minds", "hm_joint", "react", "reflexion", "plan_react")
SCENARIOS = ("symmtom_w6_n3_c3", "symmtom_w6_n3_c9", "symmtom_w12_n4_c4")
SEEDS = range(1000, 1040)
NOTED = ("symmtom_w6_n3_c3", "symmtom_w6_n4_c8", "symmtom_w6_n4_c12")
VARIANTS = (("cooperative", "public"), ("competitive", "public"), ("competitive", "private"))
"""(rewards, first-hand knowledge) of the games in which notes are compared with the truth."""


@dataclass(frozen=True)
class SelfPlayRow:
    """An agent's episodes on a scenario. rewards: per agent, by episode. decisions: of all seats. tokens: by prompt."""

    rewards: Sequence[float]
    decisions: int
    tokens: Sequence[float]

    def beside(self, heuristic: SelfPlayRow) -> str:
        """The cells of the row; the rewards also as paired differences from the heuristic's."""
        more = [one - other for one, other in zip(self.rewards, heuristic.rewards, strict=True)]
        asked, tokens = len(self.tokens) / self.decisions, sum(self.tokens) / self.decisions
        largest = max(self.tokens, default=0)
        return f"{_mean(self.rewards)} | {_mean(more, '+')} | {asked:.2f} | {tokens:.0f} | {largest:.0f}"


def _mean(values: Sequence[float], sign: str = "") -> str:
    return f"{mean(values):{sign}.1f} ± {stdev(values) / len(values) ** 0.5:.1f}"


class NotedRecharges:
    """A recorder that notes every view as a language agent does, and counts the recharges of others that it notes.

    views: of all seats; wrong_views: those in which another player's number of recharges is wrong. noted: how often a
    number rose; false: how often it rose although the player had not recharged in that step.
    """

    def __init__(self) -> None:
        self.views = self.wrong_views = self.noted = self.false = 0
        self.close()

    def close(self) -> None:
        """Ends an episode: forgets its notes and keeps the counts."""
        self._notebooks: dict[Seat, Notebook] = {}
        self._numbers: dict[tuple[Seat, str], int] = {}
        self._truth = Counter[str]()
        self._just: tuple[str, ...] = ()
        """The players that recharged in the step before the views."""

    def record(self, step: Step) -> None:
        for seat, seen in step.turn.observations.items():
            notebook = self._notebooks.setdefault(seat, Notebook(seed=0, steps=seen.view.settings.steps))
            notebook.read(seen)
            others = notebook.situation.others
            risen = [player.name for player in others if player.recharges > self._numbers.get((seat, player.name), 0)]
            self.noted += len(risen)
            self.false += sum(name not in self._just for name in risen)
            self.views += 1
            self.wrong_views += any(player.recharges != self._truth[player.name] for player in others)
            self._numbers |= {(seat, player.name): player.recharges for player in others}
        assert isinstance(step.scene, BoardScene)
        self._just = tuple(f"player_{agent}" for agent in step.scene.recharged)
        self._truth.update(self._just)


def measure(scenario: ScenarioInfo, agent: str) -> SelfPlayRow:
    rewards, decisions, reasoner = [], 0, CountingReasoner(suites()["symmtom"].answers())
    for seed in SEEDS:
        world, agents = set_up(scenario, agent, model=reasoner, seed=seed)
        outcome = play_out(world, agents, seed=seed)
        rewards.append(outcome.reward)
        decisions += outcome.steps * len(scenario.seats)
    return SelfPlayRow(rewards, decisions, reasoner.all_tokens)


def noted_recharges(scenario: ScenarioInfo, rewards: str, first_hand: str) -> NotedRecharges:
    counts = NotedRecharges()
    for seed in SEEDS:
        world, agents = set_up(scenario, "react", seed=seed, rewards=rewards, first_hand=first_hand)
        play_out(world, agents, seed=seed, recorders=[counts])
    return counts


def main() -> None:
    print(
        "| scenario | agent | reward per agent | more than heuristic | questions per decision | tokens per decision "
        "| largest prompt |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for scenario in find_scenarios(SCENARIOS):
        rows = {agent: measure(scenario, agent) for agent in AGENTS}
        for agent, row in rows.items():
            print(f"| {scenario.short_name} | {agent} | {row.beside(rows['heuristic'])} |", flush=True)
    print("\n| scenario | rewards | first-hand | noted without a recharge | views with a wrong number |")
    print("| --- | --- | --- | --- | --- |")
    for scenario in find_scenarios(NOTED):
        for variant in VARIANTS:
            counts = noted_recharges(scenario, *variant)
            false, wrong = f"{counts.false:,} of {counts.noted:,}", f"{counts.wrong_views:,} of {counts.views:,}"
            print(f"| {scenario.short_name} | {' | '.join(variant)} | {false} | {wrong} |", flush=True)
