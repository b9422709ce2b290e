"""Who plays a scenario: the agents and models by seat, in play and in tournaments, and the agents that can't."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from pathlib import Path

from hm_agent.catalogue.casting import CEILINGS, FLOOR, check_agent, check_options, obstacle, stand_ins
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Setting
from hm_agent.config import ConfigError
from hm_agent.grouping import grouped
from hm_agent.models.settings import PERSON
from hm_agent.storage.files import folder_name


@dataclass(frozen=True)
class Lineup:
    """The names of agents and models: one for each seat, or fewer, which repeat in turn."""

    agents: tuple[str, ...]
    models: tuple[str, ...]

    @property
    def agent(self) -> str:
        """The agents as one name: joined by `+` if they differ."""
        return "+".join(_period(self.agents))

    @property
    def model(self) -> str:
        """The models as one name: joined by `+` if they differ."""
        return "+".join(_period(self.models))

    @property
    def folder(self) -> Path:
        """Where its episodes lie in the folder of the scenario."""
        return Path(folder_name(_period(self.agents)), folder_name(_period(self.models)))


@dataclass(frozen=True)
class LeftOut:
    """An agent that was asked for and can't play a scenario. why: in a few words; error: the whole message."""

    scenario: ScenarioInfo
    agent: str
    why: str
    error: str


def left_out_lines(left_out: Iterable[LeftOut]) -> Iterator[str]:
    """Yields a line for each agent and reason, with the scenarios: `react in exploretom_a1 and 2 more: ...`."""
    by_reason = grouped(((one.agent, one.why), one.scenario.short_name) for one in dict.fromkeys(left_out))
    for (agent, why), names in by_reason.items():
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        yield f"{agent} in {names[0]}{more}: {why}"


@dataclass(frozen=True)
class Lineups:
    """The line-ups of a scenario, with a name for each seat, and the agents that were asked for and can't play it."""

    played: tuple[Lineup, ...]
    left_out: tuple[LeftOut, ...]


def seated(scenario: ScenarioInfo, asked: Iterable[Lineup], options: Mapping[str, Setting]) -> Lineups:
    """Seats the agents that play a scenario, once those that `floor`, `ceiling` and `oracle` stand for are known.

    options: the world's settled options.
    """
    played, left_out, count = dict[Lineup, None](), list[LeftOut](), len(scenario.seats)
    for one in asked:
        named = [stand_ins(name, scenario) for name in one.agents]
        for name in (name for name, agents in zip(one.agents, named, strict=True) if not agents):
            why = f"its score has no {FLOOR if name == FLOOR else CEILINGS[0]}"
            left_out.append(LeftOut(scenario, name, why, f"{name} can't play {scenario.short_name}: {why}"))
        for agents in product(*named):
            lineup = _with_people(Lineup(_cycled(agents, count), _cycled(one.models, count)))
            if found := _obstacle(scenario, lineup, options):
                left_out.append(found)
            else:
                played[lineup] = None
    return Lineups(tuple(played), tuple(left_out))


def _with_people(lineup: Lineup) -> Lineup:
    """The line-up in which nobody answers for an agent that is a person but that person."""
    pairs = zip(lineup.agents, lineup.models, strict=True)
    return Lineup(lineup.agents, tuple(PERSON if agent == PERSON else model for agent, model in pairs))


def check_tournament(scenarios: Iterable[ScenarioInfo], agents: Sequence[str], models: Sequence[str]) -> None:
    """Raises ConfigError unless there are two entrants or more, and seats for several. models: those that are named."""
    if not agents or max(len(set(agents)), len(set(models))) < 2:
        raise ConfigError("--agent: a tournament needs two agents or more, or one with two of --seat_models")
    if len(models) > len(agents) > 1:
        raise ConfigError(
            f"--seat_models names {len(models)}, and --agent {len(agents)}: "
            "name the agent of each model in its place, or one agent for all"
        )
    for scenario in scenarios:
        if len(scenario.seats) == 1:
            raise ConfigError(f"{scenario.short_name} has one seat: a tournament needs several, see *selfplay")


def tournament_tables(scenario: ScenarioInfo, agents: Sequence[str], models: Sequence[str]) -> list[Lineup]:
    """Each two entrants that take the seats in turn, and each alone; both orders of the two unless seats are alike.

    An entrant is an agent with the model in its place; the fewer names repeat in turn.
    """
    places = max(len(agents), len(models)) if agents else 0
    entrants = list(dict.fromkeys(zip(_cycled(agents, places), _cycled(models, places), strict=True)))
    is_alike = scenario.has_like_seats and len(scenario.seats) % 2 == 0
    pairs = combinations_with_replacement(entrants, 2) if is_alike else product(entrants, repeat=2)
    return [Lineup(*zip(*dict.fromkeys(pair), strict=True)) for pair in pairs]


def _obstacle(scenario: ScenarioInfo, lineup: Lineup, options: Mapping[str, Setting]) -> LeftOut | None:
    """The first of these agents, by seat, that can't play a scenario; None if all can."""
    for agent, model in zip(lineup.agents, lineup.models, strict=True):
        try:
            check_agent(agent, scenario, model)
            check_options(agent, scenario, options)
        except ConfigError as error:
            return LeftOut(scenario, agent, obstacle(agent, scenario, model) or str(error), str(error))
    return None


def _cycled(names: Sequence[str], count: int) -> tuple[str, ...]:
    """Repeats the names in turn until there are `count`."""
    return tuple(names[place % len(names)] for place in range(count))


def _period(names: Sequence[str]) -> Sequence[str]:
    """The shortest sequence that gives the names when it is repeated in turn."""
    lengths = (length for length in range(1, len(names) + 1) if _cycled(names[:length], len(names)) == tuple(names))
    return names[: next(lengths, 0)]
