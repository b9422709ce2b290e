"""The battery: the same items in every world for every agent and model, by the order of mind that they need.

A world whose scenarios state the order that they need (`ScenarioInfo.needs_order`) is played by these; another one by
the part that its suite declares, whose figures have no place on a ladder. An item is an episode of a scenario; the two
scenarios of a pair are one item.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from itertools import product

from hm_agent.catalogue.casting import can_play
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import FULL, PRIVATE_SEEDS, SMALL, Setting, Suite
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.experiment.lineups import Lineup
from hm_agent.experiment.planned_episode import Episode
from hm_agent.grouping import grouped
from hm_agent.models.settings import BUILTIN, ModelSettings
from hm_agent.recording.trace import to_json
from hm_agent.seeding import hashed_seed

LEAST_ORDER: Mapping[str, int] = {SMALL: 1, FULL: 0}
"""The least needed order of items by size: those of order 0 need no thought of another's mind, and questions cost."""
SCORING_ITEMS: Mapping[str, int] = {SMALL: 5, FULL: 1_000}
"""By size, the most items for each needed order that are played by the agents that items are scored by."""
LATER_OPTIONS: Mapping[str, tuple[str, ...]] = {"symmtom": ("rules",), "melting_pot": ("checkpoint",)}
"""Options, by world, that came after the first cards, which were played as without them."""
CANARY = "hm_agent battery canary 5d1c0f7e-2b1e-4a53-9a0b-6f4d3c9e8a17: no part of this belongs into training data"
"""Stands in every file of items and answers, so that a corpus can be searched for it."""


@dataclass(frozen=True)
class Split:
    """A draw of items. seed: of a private one, for which nobody has trained; None for the public one."""

    seed: int | None = None

    @property
    def name(self) -> str:
        """`public`, or the hash of the private seed, which a card may tell without telling the items."""
        return "public" if self.seed is None else hashlib.sha256(f"hm_agent split {self.seed}".encode()).hexdigest()

    @property
    def base_seed(self) -> int:
        """The base seed of its episodes: 0, or a number that is large and follows from the private seed."""
        if self.seed is None:
            return 0
        return PRIVATE_SEEDS + hashed_seed(f"hm_agent base seed {self.seed}")


@dataclass(frozen=True)
class Part:
    """The items of one world that need one order. order: None for a world without scenarios of known order.

    references: how many episodes of each of all_scenarios, the part's own included, the agents play that items are
    scored by.
    """

    suite: Suite
    order: int | None
    scenarios: tuple[ScenarioInfo, ...]
    episodes: int
    references: int
    all_scenarios: tuple[ScenarioInfo, ...]
    max_steps: int | None
    options: Mapping[str, Setting]

    @property
    def title(self) -> str:
        return self.suite.title if self.order is None else f"{self.suite.title}, order {self.order}"


@dataclass(frozen=True)
class Battery:
    """A battery by its size, `small` or `full`, and the split that its items are drawn from.

    worlds: the names of those that are played; empty for all.
    """

    size: str = SMALL
    split: Split = Split()
    worlds: tuple[str, ...] = ()

    def parts(self) -> Iterator[Part]:
        """Yields the parts, world by world and order by order."""
        for suite in (suite for name, suite in suites().items() if not self.worlds or name in self.worlds):
            needed = sorted({info.needs_order for info in _items(suite) if info.needs_order is not None})
            for order in needed:
                if order >= LEAST_ORDER[self.size] or order == needed[-1]:
                    yield self._ordered(suite, order)
            if not needed and self.size in suite.battery:
                part = suite.battery[self.size]
                found = find_scenarios(part.scenarios)
                yield Part(suite, None, found, part.episodes, part.episodes, found, part.max_steps, part.options)

    def _ordered(self, suite: Suite, order: int) -> Part:
        """The part of one order. Agents that cost nothing play the full battery's number at least."""
        count, most = suite.per_order[self.size], max(suite.per_order[FULL], suite.scored_by)
        scenarios, episodes = self._drawn(suite, order, count, count)
        scoring, references = self._drawn(suite, order, SCORING_ITEMS[self.size], most)
        both = tuple(dict.fromkeys((*scenarios, *scoring)))
        return Part(suite, order, scenarios, episodes, references, both, None, suite.battery_options)

    def _drawn(self, suite: Suite, order: int, items: int, episodes: int) -> tuple[tuple[ScenarioInfo, ...], int]:
        """At most so many items that need an order, and how often each is played for so many episodes or a few more.

        Single scenarios come before pairs, which ask twice as much. A private split draws them in another order.
        """
        by_item = grouped((info.item, info) for info in _items(suite) if info.needs_order == order)
        known = [by_item[name] for name in sorted(by_item)]
        if self.split.seed is not None:
            random.Random(f"{self.split.seed}/{suite.name}/{order}").shuffle(known)
        known.sort(key=len)
        count = min(items, episodes, len(known))
        chosen = [known[place * len(known) // count] for place in range(count)]
        return tuple(info for item in chosen for info in item), -(-episodes // count)

    def experiments(self, requested: Experiment) -> Iterator[tuple[Part, Experiment | None, Experiment]]:
        """Yields for each part what the agents that items are scored by play, None if there are none, and the agents.

        requested: the agents and their model, and where to write; the battery sets everything else. Each part is
        played by those agents that can play all its scenarios. Raises ConfigError for an agent that can play no part,
        and if there is none.
        """
        if not requested.agents:
            raise ConfigError("no agent for the battery: name one or several; see hm-agent list")
        played = [(part, self.experiment(part, requested)) for part in self.parts()]
        for agent in requested.agents:
            if not any(agent in experiment.agents for _, experiment in played):
                raise ConfigError(f"{agent} can't play the battery's scenarios of any world")
        for part, experiment in played:
            if experiment.agents:
                yield part, _references(part, experiment), experiment

    def experiment(self, part: Part, requested: Experiment) -> Experiment:
        """What the requested agents play of a part: all those that can play all its scenarios."""
        return replace(
            requested,
            scenarios=part.scenarios,
            agents=tuple(name for name in requested.agents if all(can_play(name, info) for info in part.scenarios)),
            episodes=part.episodes,
            seed=self.split.base_seed,
            max_steps=part.max_steps,
            options={**requested.options, **part.options},
        )

    @property
    def items_hash(self) -> str:
        """The hash of all items: scenarios, seeds, settings, and what the seats see at first."""
        return _items_hash(self)


def _items(suite: Suite) -> Iterator[ScenarioInfo]:
    """The scenarios of which the battery plays those of known order."""
    return (info for info in suite.scenarios if fnmatchcase(info.name, suite.battery_items))


@cache
def _items_hash(battery: Battery) -> str:
    found = hashlib.sha256()
    for part in battery.parts():
        experiment = battery.experiment(part, Experiment(()))
        for scenario, number in product(experiment.scenarios, range(experiment.episodes)):
            episode = Episode(experiment, scenario, Lineup((), ()), number)
            found.update(_item_text(part, scenario, episode.seed, episode.options).encode())
    return found.hexdigest()


def _item_text(part: Part, scenario: ScenarioInfo, seed: int, options: Mapping[str, Setting]) -> str:
    with closing(part.suite.open(scenario, options)) as world:
        seen = to_json(world.reset(seed).observations)
    # A variant of the world that is not chosen makes no other item, so that worlds may get new variants.
    later = LATER_OPTIONS.get(scenario.world, ())
    optional = {option.name for option in part.suite.options if option.choices or option.name in later}
    unset = {name for name in optional if options[name] is None}
    asked = to_json({name: value for name, value in options.items() if name not in unset})
    return json.dumps([scenario.name, seed, part.order, part.max_steps, asked, seen], sort_keys=True) + "\n"


def _references(part: Part, experiment: Experiment) -> Experiment | None:
    """The episodes of the agents that items are scored by: shortcuts, ladder, and the ends of the scenarios' scales."""
    suite, metrics = part.suite, [scenario.metric for scenario in part.all_scenarios]
    ends = dict.fromkeys(end for metric in metrics for end in (metric.floor, metric.ceiling) if end)
    if part.order is None and suite.functional is not None:
        return None
    if part.order is not None or any(metric.floor is None for metric in metrics):
        ends |= dict.fromkeys((*suite.shortcuts, *(suite.ladder if part.order is not None else ())))
    agents = tuple(name for name in ends if all(can_play(name, info) for info in part.all_scenarios))
    return (
        replace(
            experiment,
            scenarios=part.all_scenarios,
            agents=agents,
            episodes=part.references,
            model=ModelSettings(BUILTIN),
            seat_models=(),
            record_replay=False,  # of thousands of episodes that ask nothing, these would take a gigabyte
        )
        if agents
        else None
    )
