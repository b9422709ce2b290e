"""Estimates what a run will ask and cost before it begins, from what earlier episodes took.

Rates come from earlier runs with a language model or, where there are none, from the package's own, which
`python -m benchmarks rates` records with the built-in reasoner.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean

from pydantic import TypeAdapter

from hm_agent.catalogue.registry import scenario_named, suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.experiment.planned_episode import Episode
from hm_agent.grouping import grouped
from hm_agent.models.providers import price_for
from hm_agent.models.settings import BUILTIN
from hm_agent.recording.result import Result, SeatResult
from hm_agent.storage.files import write_whole

RECORDED = Path(__file__).with_name("recorded_rates.json")
FILE = "estimate.json"
NO_PROXY = (
    "The built-in reasoner is no proxy for a language model, which may ask several times as many questions and writes "
    "more: play an episode with the model, and estimate again."
)


@dataclass(frozen=True)
class Spread:
    """An amount: its mean over episodes, the least and the most."""

    mean: float
    least: float
    most: float

    @classmethod
    def of(cls, amounts: Sequence[float]) -> Spread:
        return cls(fmean(amounts), min(amounts), max(amounts))

    def __add__(self, more: Spread) -> Spread:
        return Spread(self.mean + more.mean, self.least + more.least, self.most + more.most)

    def times(self, factor: float) -> Spread:
        return Spread(self.mean * factor, self.least * factor, self.most * factor)


NOTHING = Spread(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Rate:
    """What one seat's agent took in an episode of a group of scenarios, from `episodes` of one seat.

    model: what answered. steps, seconds: of the whole episode, in the mean; seconds are None if nobody had to be waited
    for.
    """

    world: str
    group: str
    agent: str
    model: str
    episodes: int
    steps: float
    questions: Spread
    input_tokens: Spread
    output_tokens: Spread
    seconds: float | None = None


def rates_of(results: Iterable[Result]) -> list[Rate]:
    """The rates of finished episodes whose tokens are known, by group, agent and model.

    Seats that were answered without a call, as by the built-in reasoner, are left out unless they asked nothing.
    """
    seats = (
        ((result.world, scenario_named(result.scenario).group, seat.agent, seat.model), (result, seat))
        for result in results
        if result.is_finished
        for seat in result.seats
        if None not in (seat.input_tokens, seat.output_tokens) and bool(seat.questions) == bool(seat.model_calls)
    )
    return [_rate(key, played) for key, played in sorted(grouped(seats).items())]


def _rate(key: tuple[str, str, str, str], played: Sequence[tuple[Result, SeatResult]]) -> Rate:
    return Rate(
        *key,
        episodes=len(played),
        steps=fmean(result.steps for result, _ in played),
        seconds=fmean(result.wall_seconds for result, _ in played),
        questions=Spread.of([seat.questions for _, seat in played]),
        input_tokens=Spread.of([seat.input_tokens or 0 for _, seat in played]),
        output_tokens=Spread.of([seat.output_tokens or 0 for _, seat in played]),
    )


@cache
def recorded_rates() -> Sequence[Rate]:
    """The package's own rates, which the built-in reasoner gave."""
    return TypeAdapter(list[Rate]).validate_json(RECORDED.read_bytes())


@dataclass(frozen=True)
class Line:
    """What episodes of one group and lineup are expected to take together.

    cost: in USD, None without a price. seconds: of all one after another, None if no language model has played any like
    them. rates: what it is taken from. unknown: agents without a rate, which all amounts leave out.
    """

    group: str
    agents: tuple[str, ...]
    models: tuple[str, ...]
    episodes: int
    questions: Spread
    input_tokens: Spread
    output_tokens: Spread
    cost: Spread | None
    seconds: float | None
    rates: tuple[Rate, ...]
    unknown: tuple[str, ...]

    @property
    def is_by_reasoner(self) -> bool:
        return any(rate.model == BUILTIN for rate in self.rates)


@dataclass(frozen=True)
class RunEstimate:
    """What the due episodes of a run will take. at_once: how many are played at the same time."""

    lines: tuple[Line, ...]
    at_once: int

    @property
    def episodes(self) -> int:
        return sum(line.episodes for line in self.lines)

    @property
    def cost(self) -> Spread | None:
        known = [line.cost for line in self.lines if line.cost is not None]
        return sum(known, NOTHING) if len(known) == len(self.lines) else None

    @property
    def seconds(self) -> float | None:
        """By the clock, if as many as possible are played at once; None if it is not known of all."""
        known = [line.seconds for line in self.lines if line.seconds is not None]
        return sum(known) / max(1, min(self.at_once, self.episodes)) if len(known) == len(self.lines) else None

    def total(self, name: str) -> Spread:
        """The sum of an amount over all lines, by its name."""
        return sum((getattr(line, name) for line in self.lines), NOTHING)

    def write(self, out: Path) -> Path:
        """Writes it as JSON into a run's folder, which is made if it is missing; returns the file."""
        amounts = {name: asdict(self.total(name)) for name in ("questions", "input_tokens", "output_tokens")}
        cost = asdict(self.cost) if self.cost else None
        whole = {"episodes": self.episodes, **amounts, "cost": cost, "seconds": self.seconds, "at_once": self.at_once}
        out.mkdir(parents=True, exist_ok=True)
        content = json.dumps({**whole, "lines": [asdict(line) for line in self.lines]}, indent=2)
        write_whole(out / FILE, content.encode() + b"\n")
        return out / FILE


def estimate(experiments: Sequence[Experiment], earlier: Iterable[Result]) -> RunEstimate:
    """Estimates what the due episodes of experiments will take.

    earlier: results of other episodes; their rates count before the recorded ones. Raises ConfigError if no language
    model is asked.
    """
    if all(set(experiment.model_names) == {BUILTIN} for experiment in experiments):
        raise ConfigError("--estimate: the built-in reasoner costs nothing; name a language model with --model")
    results = list(earlier)
    lines = tuple(line for experiment in experiments for line in _lines(experiment, results))
    return RunEstimate(lines, max(experiment.at_once * experiment.workers for experiment in experiments))


def _lines(experiment: Experiment, earlier: Sequence[Result]) -> Iterator[Line]:
    limit, played = experiment.max_steps, Counter(folder.parent for folder in experiment.survey().played)
    # Episodes that were cut sooner do not tell how long these will be.
    own = rates_of(result for result in earlier if result.status == "completed" or (limit and result.steps >= limit))
    firsts = (
        Episode(experiment, scenario, lineup, 0)
        for scenario in experiment.scenarios
        for lineup in experiment.lineups(scenario)
    )
    for alike in grouped(((first.scenario.group, first.lineup), first) for first in firsts).values():
        due = sum(experiment.episodes - played[first.folder.parent] for first in alike)
        if due:
            yield _line(alike[0], due, own)


def _line(episode: Episode, due: int, own: Sequence[Rate]) -> Line:
    """What `due` episodes like this one take."""
    limit, world = episode.experiment.max_steps, episode.scenario.world
    rates, unknown, costs = list[Rate](), list[str](), list[Spread | None]()
    for agent, model in zip(episode.agents, episode.models, strict=True):
        if model == BUILTIN:
            continue
        if rate := _rate_for(episode.scenario, agent, model, own):
            rates.append(_cut(rate, limit))
            costs.append(_cost(rates[-1], model, episode.experiment))
        elif agent not in suites()[world].own_agents:  # of those that ask, all have a recorded rate
            unknown.append(agent)
    priced = [cost for cost in costs if cost]
    timed = [rate.seconds for rate in rates if rate.seconds is not None]
    return Line(
        episode.scenario.group,
        tuple(dict.fromkeys(episode.agents)),
        tuple(dict.fromkeys(episode.models)),
        due,
        questions=sum((rate.questions for rate in rates), NOTHING).times(due),
        input_tokens=sum((rate.input_tokens for rate in rates), NOTHING).times(due),
        output_tokens=sum((rate.output_tokens for rate in rates), NOTHING).times(due),
        cost=None if unknown or len(priced) < len(costs) else sum(priced, NOTHING).times(due),
        seconds=None if unknown or len(timed) < len(rates) else max(timed, default=0.0) * due,
        rates=tuple(dict.fromkeys(rates)),
        unknown=tuple(dict.fromkeys(unknown)),
    )


def _rate_for(scenario: ScenarioInfo, agent: str, model: str, own: Sequence[Rate]) -> Rate | None:
    """The rate of the agent in the group of this world whose title has the most in common with the scenario's.

    Of several, an earlier run's counts before a recorded one, and the model's own before another's.
    """
    likeness = {
        rate: (_likeness(scenario.group, rate.group), rate.model != BUILTIN, rate.model == model)
        for rate in (*own, *recorded_rates())
        if (rate.world, rate.agent) == (scenario.world, agent)
    }
    if not likeness:
        return None
    best = max(likeness.values())
    alike = [rate for rate, found in likeness.items() if found == best]
    return alike[0] if len(alike) == 1 else _joined(alike)


def _likeness(group: str, other: str) -> float:
    """The share of the words of two titles that both have."""
    words = [{*title.replace(",", "").split()} for title in (group, other)]
    return len(words[0] & words[1]) / len(words[0] | words[1])


def _joined(rates: Sequence[Rate]) -> Rate:
    def spread(name: str) -> Spread:
        each = [getattr(rate, name) for rate in rates]
        return Spread(fmean(a.mean for a in each), min(a.least for a in each), max(a.most for a in each))

    seconds = [rate.seconds for rate in rates if rate.seconds is not None]
    return replace(
        rates[0],
        group="; ".join(dict.fromkeys(rate.group for rate in rates)),
        episodes=sum(rate.episodes for rate in rates),
        steps=fmean(rate.steps for rate in rates),
        questions=spread("questions"),
        input_tokens=spread("input_tokens"),
        output_tokens=spread("output_tokens"),
        seconds=fmean(seconds) if seconds else None,
    )


def _cut(rate: Rate, max_steps: int | None) -> Rate:
    """The rate of episodes that are cut after so many steps, if questions come evenly."""
    if max_steps is None or max_steps >= rate.steps:
        return rate
    share = max_steps / rate.steps
    amounts = {name: getattr(rate, name).times(share) for name in ("questions", "input_tokens", "output_tokens")}
    return replace(rate, **amounts, steps=max_steps, seconds=None if rate.seconds is None else rate.seconds * share)


def _cost(rate: Rate, model: str, experiment: Experiment) -> Spread | None:
    """What an episode costs without any input in the endpoint's cache; None without a price."""
    price = price_for(replace(experiment.model, name=model))
    dear = price and (price.of(_THOUSAND, 0), price.of(0, _THOUSAND))
    if not dear or None in dear:
        return None
    by_input, by_output = (each / _THOUSAND for each in dear if each is not None)
    return rate.input_tokens.times(by_input) + rate.output_tokens.times(by_output)


_THOUSAND = 1000
